package explain

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/infertest"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// subject asks a run's model about some reviews of the sample with all scores that are not slow.
func subject(t *testing.T, run *runs.Run, workers, reviews int) *Subject {
	t.Helper()
	o := options{reviews: reviews, seed: 1}
	for _, s := range scores.All() {
		if !s.Slow {
			o.scores = append(o.scores, s.Name)
		}
	}
	a := &cli.App{IO: term.New(io.Discard, io.Discard, 0, false), Runs: t.TempDir(), Workers: workers}
	s := must.Get(open(t.Context(), a, run, o))(t)
	t.Cleanup(s.Close)
	require.NoError(t, s.answer(t.Context()))
	return s
}

// only keeps some of the scores.
func (s *Subject) only(names ...string) *Subject {
	s.Scores = slices.DeleteFunc(s.Scores, func(x *scores.Score) bool { return !slices.Contains(names, x.Name) })
	return s
}

func value(t *testing.T, r *Result, statistic, of string) Value {
	t.Helper()
	for _, v := range r.Values {
		if v.Statistic == statistic && v.Of == of && v.Part == "" {
			return v
		}
	}
	require.Fail(t, "no value", "%s of %s in %+v", statistic, of, r.Values)
	return Value{}
}

// Every test runs on every kind of model or says why not; its result is the same for
// any number of workers, its figures can be drawn, its tables hold its numbers.
func TestEveryTestOnEveryModel(t *testing.T) {
	for _, c := range []struct{ name, settings, lacks string }{
		{"tme9-simple", "lr=0.1", ""}, {"tme9-lstm", "lr=0.1 lstm.hidden=10", ""}, {"best", "lr=0.1 lstm.hidden=10 wide.folds=2 members=1", "adversary"}, {"additive", "hidden=10", ""}, {"luong", "hidden=10", "adversary"},
		{"tme9-lstm", "lr=0.1 lstm.hidden=10 members=2", "permutation adversary retrained"},
		{"tme9-mean", "", "agreement permutation adversary retrained"}, {"tme10-self", "layers=1", "permutation adversary retrained"}, {"transformer", "layers=1 pool=attention width=8 heads=2 ffn.width=8", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run, _ := testmodel.Train(t, c.name, append(strings.Fields(c.settings), "vectors.dim=10")...)
			s, other := subject(t, run, 1, 4), subject(t, run, 2, 4)
			s.peers, other.peers = []peer{{"itself", run}}, []peer{{"itself", run}}
			for _, test := range tests {
				if test.Slow != "" { // TestROAR
					continue
				}
				r := must.Get(test.Run(t.Context(), s))(t)
				require.Equal(t, strings.Contains(c.lacks, test.Name), r.Lacks != "", "%s: %s", test.Name, r.Lacks)
				again := must.Get(test.Run(t.Context(), other))(t)
				got := must.Get(json.Marshal(r))(t)
				want := must.Get(json.Marshal(again))(t)
				require.Equal(t, string(want), string(got), test.Name)
				var back Result
				require.NoError(t, json.Unmarshal(got, &back))
				for _, v := range r.Values {
					const rounding = 1e-6
					within := rangeOf(test.Name, v.Statistic)
					require.False(t, float64(v.Value) < within.Low-rounding || float64(v.Value) > within.High+rounding, "%s: %+v", test.Name, v)
					require.False(t, float64(v.Low) < within.Low || float64(v.High) > within.High, "%s: %+v", test.Name, v)
				}
				for _, f := range (&Explained{ID: "x"}).Draw(&back) {
					must.Get(f.Inline())(t)
				}
				cells := 0
				for _, table := range r.Tables() {
					for _, row := range table.Rows {
						require.Len(t, row, len(table.Columns))
						for _, cell := range row[1:] {
							if cell.Text != "–" {
								cells++
							}
						}
					}
				}
				numbers := slices.DeleteFunc(r.Values, func(v Value) bool { return v.Value != v.Value })
				require.Equal(t, len(numbers), cells)
			}
		})
	}
}

// The numbers of agreement are those of the scores themselves, a loop over reviews.
func TestAgreementByHand(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "lr=0.1")
	s := subject(t, run, 1, 6)
	test := Named("agreement")
	r := must.Get(test.Run(t.Context(), s))(t)
	all := scores.All()
	weights := must.Get(s.Compute(t.Context(), all[0]))(t)
	times := must.Get(s.Compute(t.Context(), all[1]))(t)
	tau, overlap, hits := 0.0, 0.0, 0
	for i := range weights {
		size := make([]float32, len(times[i]))
		for k, v := range times[i] {
			size[k] = float32(math.Abs(float64(v)))
		}
		one, p := must.Get2(stats.KendallB(weights[i], size))(t)
		tau += one / 6
		if p < 0.05 {
			hits++
		}
		k := min(10, len(size))
		for _, a := range infer.Argsort(weights[i])[:k] {
			if slices.Contains(infer.Argsort(size)[:k], a) {
				overlap += 1 / float64(k) / 6
			}
		}
	}
	require.InDelta(t, tau, float64(value(t, r, "τ", "gradient × input").Value), 1e-9)
	require.InDelta(t, overlap, float64(value(t, r, "top-10 overlap", "gradient × input").Value), 1e-9)
	require.InDelta(t, float64(hits)/6, float64(value(t, r, "significant", "gradient × input").Value), 1e-9)
}

// Weights that are shuffled by the same random numbers, and the classifier by hand: of
// tme9-simple z = W·Σ αᵢ xᵢ + b.
func TestPermutationByHand(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "lr=0.1")
	s := subject(t, run, 1, 6)
	test := Named("permutation")
	r := must.Get(test.Run(t.Context(), s))(t)
	all := must.Get(s.Compute(t.Context(), scores.All()[0]))(t)
	m := s.Model
	w := must.Get(m.Weight("out.W"))(t)
	bias := must.Get(m.Weight("out.b"))(t)
	p := func(weights []float32, rows []int32) float64 {
		z := []float64{float64(bias[0]), float64(bias[1])}
		for i, a := range weights {
			for j, x := range m.Vector(rows[i]) {
				for c := range z {
					z[c] += float64(a) * float64(x) * float64(w[2*j+c])
				}
			}
		}
		return 1 / (1 + math.Exp(z[1]-z[0]))
	}
	mean, largest := 0.0, 0.0
	for i, weights := range all {
		rows, dealt, moved := s.Texts[i].Rows, slices.Clone(weights), []float64(nil)
		dice := rand.New(rand.NewPCG(1, uint64(i)))
		for range 100 {
			dice.Shuffle(len(dealt), func(a, b int) { dealt[a], dealt[b] = dealt[b], dealt[a] })
			moved = append(moved, math.Abs(p(dealt, rows)-p(weights, rows)))
		}
		slices.Sort(moved)
		mean += (moved[49] + moved[50]) / 2 / 6
		largest += float64(slices.Max(weights)) / 6
	}
	require.InDelta(t, mean, float64(value(t, r, "median change", "").Value), 1e-5)
	require.InDelta(t, largest, float64(value(t, r, "largest weight", "").Value), 1e-6)
	require.Greater(t, mean, 1e-3, "something must be seen")
}

// Draws are of each class's share, in the order of the split, and of the seed.
func TestDraw(t *testing.T) {
	m := infertest.Open(t, "tme9-mean")
	s := infertest.Split(t, m, 20)
	require.Same(t, s, s.Sample(0, 1))
	require.Same(t, s, s.Sample(40, 1))
	d := s.Sample(10, 1)
	require.Len(t, d.Names, 10)
	require.True(t, slices.IsSorted(d.Names))
	of := [2]int{}
	for i, name := range d.Names {
		at := slices.Index(s.Names, name)
		require.Equal(t, s.Texts[at], d.Texts[i])
		require.Equal(t, s.Labels[at], d.Labels[i])
		of[d.Labels[i]]++
	}
	require.Equal(t, [2]int{5, 5}, of)
	require.Equal(t, d, s.Sample(10, 1))
	require.NotEqual(t, d.Names, s.Sample(10, 2).Names)
}

// Random weights differ from a run's initial weights even if the seeds are equal, because a model
// that has hardly learned still has those. Other seeds of the test agree within intervals.
func TestUntrainedIsAnotherDraw(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "lr=1e-9", "epochs=1")
	s := subject(t, run, 1, 6)
	test := Named("sanity")
	var before Value
	for seed := range uint64(4) {
		s.o.seed = seed + 1
		r := must.Get(test.Run(t.Context(), s))(t)
		v := value(t, r, "τ with random weights", "attention")
		require.Less(t, float64(v.Value), 0.8)
		require.Greater(t, float64(v.High-v.Low), 0.05, "the weights vary more than the reviews")
		if seed > 0 {
			require.NotEqual(t, before.Value, v.Value)
			require.True(t, v.Low <= before.High && before.Low <= v.High, "%+v and %+v", before, v)
		}
		before = v
	}
}
