package battery_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/infertest"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/sample"
)

// first returns the places of the largest weights of a text, in its order.
func first(weights []float32, share float64) []int {
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	order = order[:int(math.Ceil(share*float64(len(weights))))]
	slices.Sort(order)
	return order
}

// erase runs the test of erasure with attention, gradient × input and random scores.
func erase(t *testing.T, m *infer.Model, split *infer.Split, seed uint64) (*battery.Result, error) {
	all := scores.All()
	s, err := battery.NewSubject(t.Context(), m, split, []*scores.Score{all[0], all[1], all[len(all)-1]}, seed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	test, err := battery.Lookup("erasure")
	require.NoError(t, err)
	return test.Run(t.Context(), s)
}

// erased returns the values of a statistic and a score, a share of words each.
func erased(r *battery.Result, statistic, of string) (out []battery.Value) {
	for _, v := range r.Values {
		if v.Statistic == statistic && v.Of == of {
			out = append(out, v)
		}
	}
	return out
}

// The numbers are those of texts that are written again without the words, and of
// the words alone.
func TestEraseAgainstTexts(t *testing.T) {
	m := infertest.Open(t, "tme9-simple", "lr=0.1")
	s := infertest.Split(t, m, 10)
	r, err := erase(t, m, s, 1)
	require.NoError(t, err)
	_, test := sample.Reviews()
	texts := map[string]string{}
	for _, r := range test {
		texts[r.ID] = r.Text
	}
	ask := func(words []string) *infer.View {
		p, err := m.View(strings.Join(words, " "), infer.Look{})
		require.NoError(t, err)
		return p
	}
	for k, share := range []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.30, 0.40, 0.50} {
		var comprehensiveness, sufficiency float64
		for _, name := range s.Names {
			words := strings.Fields(texts[name])
			whole := ask(words)
			chosen := first(whole.Weights, share)
			var without, alone []string
			for j, w := range words {
				if slices.Contains(chosen, j) {
					alone = append(alone, w)
				} else {
					without = append(without, w)
				}
			}
			comprehensiveness += float64(whole.P[whole.Class]-ask(without).P[whole.Class]) / 20
			sufficiency += float64(whole.P[whole.Class]-ask(alone).P[whole.Class]) / 20
		}
		v := erased(r, "comprehensiveness", "attention")[k]
		require.Equal(t, 20, v.N)
		require.InDelta(t, comprehensiveness, float64(v.Value), 1e-6)
		require.InDelta(t, sufficiency, float64(erased(r, "sufficiency", "attention")[k].Value), 1e-6)
		require.Greater(t, v.High, v.Value)
	}
	again, err := erase(t, m, s, 1)
	require.NoError(t, err)
	require.Equal(t, r, again)
	other, err := erase(t, m, s, 2)
	require.NoError(t, err)
	for _, of := range []string{"attention", "gradient × input"} {
		require.Equal(t, erased(r, "comprehensiveness", of), erased(other, "comprehensiveness", of))
	}
	require.NotEqual(t, erased(r, "comprehensiveness", "random"), erased(other, "comprehensiveness", "random"), "another seed, other words")
}

// Without attention there are two scores; all words may go.
func TestEraseWithoutAttention(t *testing.T) {
	m := infertest.Open(t, "tme9-mean", "data.max_len=1")
	s := infertest.Split(t, m, 2)
	r, err := erase(t, m, s, 1)
	require.NoError(t, err)
	require.Empty(t, erased(r, "comprehensiveness", "attention"))
	gradient, random := erased(r, "comprehensiveness", "gradient × input"), erased(r, "comprehensiveness", "random")
	for k := range gradient {
		require.Equal(t, gradient[k].Value, random[k].Value, "the only word of a review")
	}
	require.Zero(t, erased(r, "ERASER sufficiency", "random")[0].Value)
	s.Texts = nil
	_, err = erase(t, m, s, 1)
	require.ErrorContains(t, err, "no reviews")
}
