package scores_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/infertest"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
)

// of computes a score of texts about the classes predicted.
func of(t *testing.T, m *infer.Model, name string, list ...string) ([][]float32, *scores.Asker) {
	t.Helper()
	s := must.Get(scores.Lookup(name))(t)
	a := scores.New(m, 1)
	t.Cleanup(func() { a.Close() })
	var texts []scores.Text
	for i, text := range list {
		p := must.Get(m.View(text, infer.Selection{}))(t)
		texts = append(texts, scores.Text{Encoded: m.Encode(text), Class: p.Class, Number: i})
	}
	out := must.Get(a.Compute(t.Context(), s, texts))(t)
	return out, a
}

// odds is the margin of a class of two.
func odds(t *testing.T, m *infer.Model, text string, class int) float64 {
	t.Helper()
	p := must.Get(m.View(text, infer.Selection{}))(t)
	return math.Log(float64(p.P[class]) / float64(p.P[1-class]))
}

var attending = []struct{ name, settings string }{
	{"tme9-simple", "lr=0.1"}, {"tme9-values", "value.activation=tanh lr=0.1"}, {"tme9-lstm", "lr=0.1 lstm.hidden=10"}, {"additive", "cell=gru hidden=10"}, {"luong", "cell=rnn hidden=10"},
	{"multihead", "layers=2 heads=2"}, {"tme10-cls", "layers=2 lr=0.003"}, {"transformer", "layers=1 pool=attention width=8 heads=2 ffn.width=8"},
}

// Leave-one-out scores are the predictions for the texts without the words. Gradients have
// the expected sums. No score depends on the other texts of a batch or the number of workers.
func TestScoresAgainstTheModel(t *testing.T) {
	words := strings.Fields("a dull plot and a good cast , but not the songs")
	text := strings.Join(words, " ")
	for _, c := range attending {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run, pool := testmodel.Train(t, c.name, append(strings.Fields(c.settings), "vectors.dim=10")...)
			m := must.Get(infer.Open(run, pool))(t)
			defer m.Close()
			p := must.Get(m.View(text, infer.Selection{}))(t)
			whole := odds(t, m, text, p.Class)

			left, _ := of(t, m, "leaveout", text)
			for i := range words {
				without := strings.Join(slices.Delete(slices.Clone(words), i, i+1), " ")
				require.InDelta(t, whole-odds(t, m, without, p.Class), left[0][i], 1e-4+1e-4*math.Abs(whole), words[i])
			}

			sums, a := of(t, m, "integrated", text, "good", text)
			require.Less(t, a.Complete.Share(), 0.01, "%+v", a.Complete)
			require.Equal(t, 3, a.Complete.Texts)
			require.Equal(t, sums[0], sums[2])
			total := 0.0
			for _, v := range sums[0] {
				total += float64(v)
			}
			require.NoError(t, m.WithVectors(make([]float32, m.Dim()), func(zero int32, _ []float32) error {
				b := must.Get(m.Ask(infer.Encoded{Rows: slices.Repeat([]int32{zero}, len(words))}))(t)
				require.InDelta(t, whole-scores.Margin(b.Logits(0), p.Class), total, 1e-3+0.01*math.Abs(total))
				return nil
			}))

			single := ops.NewPool(1)
			defer single.Close()
			alone := must.Get(infer.Open(run, single))(t)
			defer alone.Close()
			for _, s := range scores.All() {
				if s.Lacks(m) != "" {
					require.Contains(t, []string{"rollout", "gradconst"}, s.Name)
					continue
				}
				want, _ := of(t, m, s.Name, text)
				got, _ := of(t, alone, s.Name, text, "good")
				require.Equal(t, want[0], got[0], "%s: other workers and company", s.Name)
			}
		})
	}
}

// With constant attention, each word adds αᵢ·w·xᵢ in a linear model, and all words the margin without
// the bias. The margin of the word alone is w·xᵢ. With gradients of the attention, scores differ.
func TestConstantGradientByHand(t *testing.T) {
	m := infertest.Open(t, "tme9-simple", "lr=0.1")
	const text = "a dull plot and good songs"
	constant, _ := of(t, m, scores.GradientConstant, text)
	through, _ := of(t, m, scores.Gradient, text)
	p := must.Get(m.View(text, infer.Selection{}))(t)
	bias := 0.0
	require.NoError(t, m.WithVectors(make([]float32, m.Dim()), func(zero int32, _ []float32) error {
		b, err := m.Ask(infer.Encoded{Rows: []int32{zero}})
		bias = scores.Margin(b.Logits(0), p.Class)
		return err
	}))
	sum, maxDifference := 0.0, 0.0
	for i, row := range m.Encode(text).Rows {
		b := must.Get(m.Ask(infer.Encoded{Rows: []int32{row}}))(t)
		require.InDelta(t, float64(p.Weights[i])*(scores.Margin(b.Logits(0), p.Class)-bias), constant[0][i], 1e-4)
		sum += float64(constant[0][i])
		maxDifference += math.Abs(float64(constant[0][i] - through[0][i]))
	}
	require.InDelta(t, odds(t, m, text, p.Class)-bias, sum, 1e-3)
	require.Greater(t, maxDifference, 0.01)
}

// The norms are those of the words' own values, as exp attend --steps computes them, also if a linear map
// makes the values and the network applies it to the sum.
func TestNorms(t *testing.T) {
	for _, name := range []string{"tme9-simple", "tme9-lstm"} {
		m := infertest.Open(t, name, "lr=0.1")
		got, _ := of(t, m, "norms", short)
		steps := must.Get(m.Steps(short, infer.Selection{}))(t)
		for i, values := range steps.Values {
			square := 0.0
			for _, x := range values {
				square += x * x
			}
			require.InDelta(t, steps.Weights[i]*math.Sqrt(square), got[0][i], 1e-5)
		}
	}
}

// Rollout of two layers is the product of their matrices, by the weights that exp attend shows.
func TestRolloutByHand(t *testing.T) {
	m := infertest.Open(t, "multihead", "layers=2", "heads=2", "lr=0.05")
	const text = "a dull plot and good songs"
	e := m.Encode(text)
	b := must.Get(m.Ask(e))(t)
	n := len(e.Rows)
	var layers [2][][]float64
	for l := range layers {
		for q := range n {
			row := make([]float64, n)
			for h := range 2 {
				w := must.Get(b.AttentionRow(l, h, 0, q))(t)
				for j, v := range w {
					row[j] += float64(v) / 4
				}
			}
			row[q] += 0.5
			layers[l] = append(layers[l], row)
		}
	}
	got, _ := of(t, m, "rollout", text)
	sum := 0.0
	for j := range n {
		want := 0.0
		for q := range n {
			for k := range n {
				want += layers[1][q][k] * layers[0][k][j] / float64(n)
			}
		}
		require.InDelta(t, want, got[0][j], 1e-6)
		sum += float64(got[0][j])
	}
	require.InDelta(t, 1, sum, 1e-5)
}

func TestWhatModelsLack(t *testing.T) {
	m := infertest.Open(t, "tme9-mean")
	for name, want := range map[string]string{"attention": "no attention", "norms": "no attention", "rollout": "no layers"} {
		s := must.Get(scores.Lookup(name))(t)
		require.Contains(t, s.Lacks(m), want)
		require.ErrorContains(t, must.Fail(scores.New(m, 0).Compute(t.Context(), s, nil)), want)
	}
	require.ErrorContains(t, must.Fail(scores.Lookup("gradeint")), "did you mean gradient?")
}

// Leave-one-out scores do not depend on the number of texts in memory.
func TestLeavingOutInParts(t *testing.T) {
	run, pool := testmodel.Train(t, "tme9-lstm", "lr=0.1")
	m := must.Get(infer.Open(run, pool))(t)
	defer m.Close()
	text := "a dull plot and a good cast , but not the songs"
	for _, name := range []string{"leaveout", "occlusion"} {
		whole, _ := of(t, m, name, text, "good", "")
		for _, words := range []int{1, 25, 121} { // one text, two, and all but one of eleven
			restore := scores.Few(words)
			parts, _ := of(t, m, name, text, "good", "")
			restore()
			require.Equal(t, whole, parts, "%s, %d", name, words)
		}
	}
}

// The model gives the answer that a flip says, and no removal of fewer words changes the answer.
// Without room for a search, the greedy one still flips.
func TestFlips(t *testing.T) {
	m := infertest.Open(t, "tme9-simple", "lr=0.1", "data.limit=200", "epochs=4")
	flipped, sizes := 0, map[int]int{}
	for _, text := range []string{short, "a dull plot and a good cast , but not the songs", "the jokes are flat and the plot is dull", "a superb film , superb songs and a good cast"} {
		words := strings.Fields(text)
		e := m.Encode(text)
		v := must.Get(m.View(text, infer.Selection{}))(t)
		_, a := of(t, m, scores.LeaveOut, text)
		for _, way := range scores.Ways {
			for _, room := range []int{0, 1 << 20} {
				f := must.Get(a.Flip(t.Context(), scores.Text{Encoded: e, Class: v.Class}, nil, way, room))(t)
				if f.Places == nil {
					require.Contains(t, f.Says(words, m.Classes), "No change")
					continue
				}
				flipped++
				changed := slices.Clone(words)
				for k, at := range slices.Backward(f.Places) {
					if f.Others != nil {
						require.NotEqual(t, words[at], f.Others[k])
						changed[at] = f.Others[k]
					} else {
						changed = slices.Delete(changed, at, at+1)
					}
				}
				after := must.Get(m.View(strings.Join(changed, " "), infer.Selection{}))(t)
				require.Equal(t, f.Class, after.Class)
				require.NotEqual(t, v.Class, after.Class)
				require.InDelta(t, after.P[f.Class], f.P, 1e-5)
				if room == 0 {
					sizes[len(f.Places)]++
					continue
				}
				require.LessOrEqual(t, f.Tried, 3)
				if way == scores.Ways[0] && len(f.Places) == 2 {
					for i := range words {
						after := must.Get(m.View(strings.Join(slices.Delete(slices.Clone(words), i, i+1), " "), infer.Selection{}))(t)
						require.Equal(t, v.Class, after.Class, "%s without %s", text, words[i])
					}
				}
			}
		}
	}
	require.Positive(t, flipped)
	require.Positive(t, sizes[2], "%v", sizes)
}
