package attend

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// opened trains an experiment with settings on the sample, and opens its model and data.
func opened(t *testing.T, assignments string) (*runs.Run, *infer.Model, *dataset.Corpus) {
	t.Helper()
	list := strings.Fields(assignments)
	run, pool := testmodel.Train(t, list[0], list[1:]...)
	m := must.Get(infer.Open(run, pool))(t)
	t.Cleanup(func() { m.Close() })
	corpus := must.Get(m.OpenCorpus(t.Context(), t.TempDir(), "sample", folder.Options{}))(t)
	return run, m, corpus
}

// The softmax that is measured is the run's own: its entropies over all test reviews are
// those that the run has kept. What a variance is scaled by is known.
func TestScoreSpreads(t *testing.T) {
	for assignments, scale := range map[string]float64{
		"tme10-self heads=2 layers=2 key.width=9":                   1.0 / 3,
		"tme10-self heads=2 layers=2 key.width=9 scale=none":        1,
		"tme10-cls variant=original layers=2 layer.dropout=0":       1 / math.Sqrt(50),
		"tme10-self norm=layer pool=attention layers=1 key.width=4": 0.5,
		"tme9-lstm":                    1,
		"tme9-simple":                  1,
		"additive":                     1,
		"luong score=concat":           1,
		"luong score=dot scale=sqrt_k": 0.1, // states of 100 numbers
		"multihead":                    1 / math.Sqrt(10),
		"transformer":                  1 / math.Sqrt(10),
	} {
		t.Run(assignments, func(t *testing.T) {
			t.Parallel()
			run, m, corpus := opened(t, assignments+" data.limit=10")
			last, want := 0, 20
			if m.BatchDependent() {
				want = 16 // one batch: slip.drop_last
			}
			heads, _ := must.Get2(m.ScoringHeads())(t)
			s := must.Get(measureSpreads(t.Context(), m, corpus, heads, 10, func(done, of int) {
				require.Equal(t, last+1, done)
				require.Equal(t, want, of)
				last = done
			}))(t)
			require.Equal(t, want, s.reviews)
			metrics := must.Get(run.Metrics())(t)
			for i, h := range s.of {
				at, want := heads[i], metrics[0].TestEntropy
				if at.Layer > 0 {
					want = &metrics[0].TestHeads[at.Layer-1][at.Head-1].Nats
				}
				require.InDelta(t, *want, h[entropy], 1e-4)
				by := scale
				if at.Layer == 0 && len(heads) > 1 {
					by = 1 // words are not scaled where layers are
				}
				require.InEpsilon(t, h[variance], h[unscaled]*by*by, 1e-6)
				require.Positive(t, h[unscaled])
				require.Greater(t, h[largest], 1-h[slope]-1e-9, "Σα² is at most the largest weight")
				require.LessOrEqual(t, h[ofLogN], 1+1e-9)
			}
		})
	}
}

// Of the last layer before [CLS] goes on alone, its query is measured and no other.
func TestScoreSpreadOfCLS(t *testing.T) {
	t.Parallel()
	run, m, corpus := opened(t, "tme10-cls layers=2 data.limit=10")
	heads, _ := must.Get2(m.ScoringHeads())(t)
	s := must.Get(measureSpreads(t.Context(), m, corpus, heads, 10, func(int, int) {}))(t)
	metrics := must.Get(run.Metrics())(t)
	require.InDelta(t, metrics[0].TestHeads[0][0].Nats, s.of[0][entropy], 1e-4)
	sum, n := 0.0, 0
	require.NoError(t, m.ReadSplit(t.Context(), corpus, dataset.Test, 10, infer.Look{}, func(list []infer.Reading) error {
		for _, r := range list {
			sum, n = sum+r.Attended.Entropy, n+1
		}
		return nil
	}))
	require.Equal(t, n, s.reviews)
	require.InDelta(t, sum/float64(n), s.of[1][entropy], 1e-4)
	require.NotEqual(t, metrics[0].TestHeads[1][0].Nats, s.of[1][entropy])
}

// What has no scores says so.
func TestNoScoresToMeasure(t *testing.T) {
	for assignments, want := range map[string]string{
		"tme9-mean":                     "the model does not compare words, so it has no scores",
		"tme9-lstm-mean":                "the model does not compare words, so it has no scores",
		"tme9-lstm members=2":           "each of its 2 networks has its own scores; use a run with members=1",
		"tme9-simple attention=uniform": "this attention has no scores: attention=uniform and imposed weights have none, and an op of attention shows its own if it has the method weighing (CONTRIBUTING.md)",
		"tme9-simple data.max_len=1":    "no review of the 4 has two words to compare",
	} {
		t.Run(assignments, func(t *testing.T) {
			t.Parallel()
			_, m, corpus := opened(t, assignments+" data.limit=2")
			heads, _, err := m.ScoringHeads()
			if err == nil {
				_, err = measureSpreads(t.Context(), m, corpus, heads, 2, func(int, int) {})
			}
			var lacks *infer.LookError
			require.ErrorAs(t, err, &lacks)
			require.EqualError(t, err, want)
		})
	}
}

// By hand: two queries meet two keys. Over the keys the first has the scores 0 and 2, of
// variance 1, and weights ¼ and ¾; over the queries each key has its own.
func TestSpreadOf(t *testing.T) {
	w := ops.Weighing{
		Scale: 0.5, Read: 2,
		Scores:  ops.Wide{Rows: 2, Cols: 2, Data: []float64{0, 2, 3, 3}},
		Weights: ops.Wide{Rows: 2, Cols: 2, Data: []float64{0.25, 0.75, 0.5, 0.5}},
	}
	quarter := 0.25*math.Log(4) + 0.75*math.Log(4.0/3)
	s := spreadOf(w)
	require.InDelta(t, (1+0)/2.0, s[unscaled], 1e-12)
	require.InDelta(t, 0.25*s[unscaled], s[variance], 1e-12)
	require.InDelta(t, (quarter+math.Ln2)/2, s[entropy], 1e-12)
	require.InDelta(t, (quarter/math.Ln2+1)/2, s[ofLogN], 1e-12)
	require.InDelta(t, (0.75+0.5)/2, s[largest], 1e-12)
	require.InDelta(t, 1-(0.0625+0.5625+0.25+0.25)/2, s[slope], 1e-12)

	w.Read = 1
	require.InDelta(t, 1, spreadOf(w)[unscaled], 1e-12)
	require.InDelta(t, quarter, spreadOf(w)[entropy], 1e-12)

	w.OverQueries, w.Weights.Data = true, []float64{0, 0.5, 1, 0.5}
	s = spreadOf(w)
	require.InDelta(t, (2.25+0.25)/2, s[unscaled], 1e-12)
	require.InDelta(t, math.Ln2/2, s[entropy], 1e-12)
	require.InDelta(t, 0.25, s[slope], 1e-12)

	one := ops.Wide{Rows: 1, Cols: 1, Data: []float64{1}}
	require.True(t, math.IsNaN(spreadOf(ops.Weighing{Scale: 1, Read: 1, Scores: one, Weights: one})[ofLogN]))
}

// What is drawn is what the model sees: the same words, the trained vectors with the run's positions, and
// padding of nothing but positions.
func TestDots(t *testing.T) {
	const text = "The cast is great , but xyzzy is not ."
	for assignments, front := range map[string][]string{
		"tme9-simple vectors.train=true variant=original":             nil,
		"tme9-lstm oov=learned data.max_len=5":                        nil,
		"tme9-mean oov=masked tokens=whitespace":                      nil,
		"tme10-cls-pe positions=halves positions.base=1000":           {"[CLS]"},
		"tme10-pe positions=learned positions.max=60 data.max_len=60": nil,
	} {
		t.Run(assignments, func(t *testing.T) {
			t.Parallel()
			run, m, _ := opened(t, assignments)
			s := shown{run: run, m: m, review: dataset.Review{Text: text}}
			words, rows := must.Get2(s.vectors())(t)
			v := must.Get(m.View(text, infer.Look{}))(t)
			require.Equal(t, append(front, infer.Texts(v.Words)...), words)
			p, d := must.Get(positionsOf(&run.Config, m))(t), m.Dim()
			zeros, last := make([]float32, len(rows)), slices.Clone(rows[len(rows)-d:])
			require.NoError(t, p.add(zeros, d))
			require.NoError(t, p.add(rows, d))
			simd.Add(last, zeros[len(zeros)-d:])
			require.Equal(t, last, rows[len(rows)-d:])
			require.NotEqual(t, zeros[:d], zeros[d:2*d], "each position has its own")
			if p.table != nil {
				require.ErrorContains(t, p.add(make([]float32, 61*d), d), "has 61 words, but the run has learned 60 positions")
			}
		})
	}
}

// A text without any n-gram of the training reviews gets no table, not one with only a header.
func TestContributionsOfNothing(t *testing.T) {
	e := &counts.Explanation{For: 1}
	require.Empty(t, termTable([]string{"neg", "pos"}, e).Rows)
	e.Terms = []counts.Term{{Name: "good", Sum: 0.5}}
	require.Len(t, termTable([]string{"neg", "pos"}, e).Rows, 1)
}

func printed(width int, a translator.Alignment) string {
	var out bytes.Buffer
	printAlignment(term.New(&out, new(bytes.Buffer), width, false), a)
	return out.String()
}

func TestAlignmentText(t *testing.T) {
	carpet := translator.Alignment{
		Columns: []string{"the", "red", "carpet"}, Rows: []string{"le", "tapis", "rouge", "(end)"},
		Weights: [][]float64{{0.7, 0, 0}, {0, 0.04, 0.96}, {0.05, 0.95, 0}, {0.2, 0.3, 0.5}},
	}
	require.Equal(t, `         the  red  carpet
  le       7    ·       ·
  tapis    ·    ·       9
  rouge    0    9       ·
  (end)    2    3       5

  weights in tenths, · below 0.05
`, printed(60, carpet))
	require.Equal(t, 2, strings.Count(printed(20, carpet), "rouge"), "the columns continue below")
}

// Sentences of any length fit the width, and every word has a column.
func TestAlignmentFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé\']{1,24}`), 1, 150)
		a := translator.Alignment{Columns: words.Draw(t, "source"), Rows: rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,24}`), 1, 4).Draw(t, "target")}
		for range a.Rows {
			a.Weights = append(a.Weights, make([]float64, len(a.Columns)))
		}
		text := printed(60, a)
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, line)
		}
		require.Equal(t, len(a.Columns)*len(a.Rows)+1, strings.Count(text, "·"), "and one in the key")
	})
}
