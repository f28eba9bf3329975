package draw

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func TestGram(t *testing.T) {
	g := newGram([]float32{1, 2, 3, -1, 0, 2}, 3, 2)
	want := [3][3]float64{{5, 1, 4}, {1, 10, -2}, {4, -2, 4}}
	for i := range want {
		for j := range want {
			require.Equal(t, want[i][j], g.at(i, j))
		}
	}
	low, high := g.limits(0)
	require.Equal(t, [2]float64{-2, 10}, [2]float64{low, high})
	low, high = g.limits(2)
	require.Equal(t, [2]float64{4, 4}, [2]float64{low, high})
}

// What is drawn of a run is what its model sees: the same words, the trained
// vectors, and padding of nothing but positions.
func TestDrawnWords(t *testing.T) {
	for name, assignments := range map[string][]string{
		"tme9-simple":  {"vectors.train=true", "variant=original"},
		"tme9-lstm":    {"oov=learned", "data.max_len=5"},
		"tme9-mean":    {"oov=masked", "tokens=whitespace"},
		"tme10-cls-pe": {"positions=halves", "positions.base=1000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := ops.NewPool(1)
			defer pool.Close()
			run := trained(t, pool, name, assignments...)
			m := must.Get(infer.Open(run, pool))(t)
			defer m.Close()
			v := must.Get(openVocabulary(run, pool))(t)
			defer v.Close()
			const text = "The cast is great , but xyzzy is not ."
			s := must.Get(v.see(text))(t)
			p := must.Get(m.View(text, infer.Look{}))(t)
			var words []string
			if run.Config.Setting("pool") == "cls" {
				words = append(words, "[CLS]")
			}
			unknown := 0
			for i, w := range p.Words {
				words = append(words, w.Word)
				if !p.Known[i] {
					unknown++
				}
			}
			require.Equal(t, words, s.words)
			require.Equal(t, unknown, s.unknown)
			checkPadding(t, run, v, s)
		})
	}
}

// checkPadding compares the last row of a padded matrix with plain encodings.
func checkPadding(t *testing.T, run *runs.Run, v *vocabulary, s seen) {
	t.Helper()
	const pad = 30
	p := must.Get(positionsOf(&run.Config, v))(t)
	d := v.Dim()
	list := must.Get(dotMatrices(s, p, d, pad))(t)
	require.Len(t, list, 2)
	encodings := make([]float32, pad*d)
	require.NoError(t, p.add(encodings, d))
	g := newGram(encodings, pad, d)
	for q := len(s.words); q < pad; q++ {
		require.Equal(t, g.at(pad-1, q), list[1].At(pad-1, q))
	}
	word := slices.Clone(s.vectors[:d])
	sum := 0.0
	for i := range word {
		word[i] += encodings[i]
		sum += float64(word[i]) * float64(word[i])
	}
	require.InDelta(t, sum, list[0].At(0, 0), 1e-3*math.Abs(sum))
}

// trained makes a small run on the sample.
func trained(t *testing.T, pool *ops.Pool, name string, assignments ...string) *runs.Run {
	t.Helper()
	e := must.Get(experiments.Lookup(name))(t)
	p := must.Get(plan.New(plan.Base{Experiment: e}, "sample",
		append([]string{"epochs=1", "data.limit=20", "vectors=random", "vectors.dim=8"}, assignments...)))(t)
	r := &training.Runner{Dir: t.TempDir(), Pool: pool, Loader: &task.Loader{Dir: t.TempDir(), Workers: 1}}
	out := must.Get(r.Run(t.Context(), p, training.Hooks{}))(t)
	return out.Run
}

// A run whose checkpoint lacks what its settings promise is an error that says so.
func TestDrawnWordsRefuse(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	run := trained(t, pool, "tme9-mean")
	other := *run
	other.Config.Settings = append(slices.Clone(run.Config.Settings), runs.Value{Key: "positions", Value: "learned"})
	v := must.Get(openVocabulary(run, pool))(t)
	defer v.Close()
	require.ErrorContains(t, must.Fail(positionsOf(&other.Config, v)), "the model has no weight positions")
	v.cls = true
	require.ErrorContains(t, must.Fail(v.see("the cast")), "the model has no weight cls")
	v.cls = false
	require.ErrorContains(t, must.Fail(v.see(strings.Repeat("the ", maxPositions+1))), "has 5001 words; at most 5000")
	other.Config.Table = strings.Repeat("0", 64)
	require.ErrorContains(t, must.Fail(openVocabulary(&other, pool)), run.Label())
}
