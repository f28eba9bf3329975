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

// erase is that by attention, gradient × input and chance.
func erase(t *testing.T, m *infer.Model, split *infer.Split, seed uint64, heard func(string, int, int)) (*battery.Erasure, error) {
	all := scores.All()
	s, err := battery.NewSubject(t.Context(), m, split, []*scores.Score{all[0], all[1], all[len(all)-1]}, seed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.Heard = heard
	return battery.Erase(t.Context(), s, s.Scores)
}

// The numbers are those of texts that are written again without the words, and of
// the words alone.
func TestEraseAgainstTexts(t *testing.T) {
	m := infertest.Open(t, "tme9-simple", "lr=0.1")
	s := infertest.Split(t, m, 10)
	done := 0
	e, err := erase(t, m, s, 1, func(_ string, n, _ int) { done = n })
	require.NoError(t, err)
	require.Equal(t, 20, done)
	require.Equal(t, 20, e.Reviews)
	require.Equal(t, []string{"attention", "gradient × input", "random"}, []string{e.Curves[0].Ranking, e.Curves[1].Ranking, e.Curves[2].Ranking})

	_, test := sample.Reviews()
	texts := map[string]string{}
	for _, r := range test {
		texts[r.ID] = r.Text
	}
	ask := func(words []string) *infer.Prediction {
		p, err := m.Predict(strings.Join(words, " "))
		require.NoError(t, err)
		return p
	}
	for k, share := range battery.EraseShares {
		var comprehensiveness, sufficiency, p float64
		right := 0
		for i, name := range s.Names {
			words := strings.Fields(texts[name])
			whole := ask(words)
			taken := first(whole.Weights, share)
			var without, alone []string
			for j, w := range words {
				if slices.Contains(taken, j) {
					alone = append(alone, w)
				} else {
					without = append(without, w)
				}
			}
			after, only := ask(without), ask(alone)
			if after.Class == int(s.Labels[i]) {
				right++
			}
			p += float64(after.P[whole.Class]) / 20
			comprehensiveness += float64(whole.P[whole.Class]-after.P[whole.Class]) / 20
			sufficiency += float64(whole.P[whole.Class]-only.P[whole.Class]) / 20
		}
		c := e.Curves[0]
		require.InDelta(t, comprehensiveness, c.Comprehensiveness[k].Mean, 1e-6)
		require.InDelta(t, sufficiency, c.Sufficiency[k].Mean, 1e-6)
		require.InDelta(t, p, c.P[k], 1e-6)
		require.InDelta(t, float64(right)/20, c.Accuracy[k], 1e-12)
		require.Greater(t, c.Comprehensiveness[k].Half, 0.0)
	}
	again, err := erase(t, m, s, 1, nil)
	require.NoError(t, err)
	require.Equal(t, e, again)
	other, err := erase(t, m, s, 2, nil)
	require.NoError(t, err)
	require.Equal(t, e.Curves[:2], other.Curves[:2])
	require.NotEqual(t, e.Curves[2], other.Curves[2], "another seed, other words")
}

// Without attention there are two rankings; all words may go.
func TestEraseWithoutAttention(t *testing.T) {
	m := infertest.Open(t, "tme9-mean", "data.max_len=1")
	s := infertest.Split(t, m, 2)
	e, err := erase(t, m, s, 1, nil)
	require.NoError(t, err)
	require.Len(t, e.Curves, 2)
	require.Equal(t, e.Curves[0].Comprehensiveness, e.Curves[1].Comprehensiveness, "the only word of a review")
	require.Zero(t, e.Curves[0].AreaAlone.Mean)
	s.Texts = nil
	_, err = erase(t, m, s, 1, nil)
	require.ErrorContains(t, err, "no reviews")
}

// The attention on the words that decide, counted by hand.
func TestVerdictShares(t *testing.T) {
	m := infertest.Open(t, "tme9-simple", "lr=0.1", "oov=masked")
	list, err := battery.VerdictShares(t.Context(), m, scores.All()[:2], 5, 1)
	require.NoError(t, err)
	require.Len(t, list, 2)
	_, test := sample.Reviews()
	var share, uniform float64
	n, seen := 0, [2]int{}
	for _, r := range test {
		if seen[r.Label]++; seen[r.Label] > 5 {
			continue
		}
		n++
		words := strings.Fields(r.Text)
		p, err := m.Predict(r.Text)
		require.NoError(t, err)
		at := 0
		for i, w := range words {
			if at == len(p.Words) || p.Words[at].Word != w || p.Words[at].Start != len(strings.Join(words[:i], " "))+min(i, 1) {
				continue // masked
			}
			if slices.Contains(r.Verdict, i) {
				share += float64(p.Weights[at])
				uniform += 1 / float64(len(p.Words))
			}
			at++
		}
		require.Equal(t, len(p.Words), at)
	}
	v := list[0]
	require.Equal(t, "attention", v.Ranking)
	require.Equal(t, n, v.Reviews)
	require.InDelta(t, share/float64(n), v.Share, 1e-5)
	require.InDelta(t, uniform/float64(n), v.Uniform, 1e-9)
	require.Less(t, v.Low, v.Share)
	require.Greater(t, v.High, v.Share)
	require.Equal(t, "gradient × input", list[1].Ranking)
}
