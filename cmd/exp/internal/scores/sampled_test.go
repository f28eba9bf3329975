package scores_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/embedding"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/infertest"
	"imdbexp/internal/testkit/must"
)

const (
	short = "a dull plot and good songs"
	long  = "a dull plot and a good cast , but not the songs , which are not good at all , and the jokes are flat"
)

// The margin of tme9-mean is linear in the words: w·xᵢ/n. So LIME is w·(xᵢ − x₀)/n with the unknown
// word as x₀, the Shapley value w·(xᵢ − x̄)/n with the mean of all words, and neither has an interval.
func TestEstimatesOfALinearModel(t *testing.T) {
	m := infertest.Open(t, "tme9-mean", "lr=0.1")
	margin := func(row int32, class int) float64 {
		b := must.Get(m.Ask(infer.Encoded{Rows: []int32{row}}))(t)
		return scores.Margin(b.Logits(0), class)
	}
	for _, text := range []string{short, long} {
		p := must.Get(m.View(text, infer.Selection{}))(t)
		require.NoError(t, m.WithVectors(m.MeanVector(), func(mean int32, _ []float32) error {
			for name, hole := range map[string]int32{"lime": embedding.OOVRow, scores.SHAP: mean} {
				got, a := of(t, m, name, text)
				rows := m.Encode(text).Rows
				largest := 0.0
				for i, row := range rows {
					want := (margin(row, p.Class) - margin(hole, p.Class)) / float64(len(rows))
					require.InDelta(t, want, got[0][i], 1e-3, "%s, word %d", name, i)
					require.InDelta(t, 0, a.Estimate.Within[0][i], 1e-4, "%s, word %d", name, i)
					largest = max(largest, want)
				}
				require.Greater(t, largest, 0.01, "the numbers are not all near zero")
			}
			return nil
		}))
	}
}

// Of binary n-grams the closed form is the value over all sets of words, also of n-grams that occur
// several times and share words.
func TestShapleyValuesOfNgrams(t *testing.T) {
	m := infertest.Open(t, "nbsvm", "data.limit=200")
	for _, text := range []string{"a very very very good film", "good film , good film , good", "not not a bad plot , not a bad plot", "dull"} {
		got, a := of(t, m, scores.SHAP, text)
		p := must.Get(m.View(text, infer.Selection{}))(t)
		want := must.Get(a.Enumerated(t.Context(), scores.Text{Encoded: m.Encode(text), Class: p.Class}))(t)
		require.InDeltaSlice(t, want, float64s(got[0]), 1e-5, text)
		require.Zero(t, a.Estimate.Asked)
	}
}

// Estimates are near the exact values as often as their intervals say, and add up to the gain.
func TestIntervalsOfEstimates(t *testing.T) {
	m := infertest.Open(t, "tme9-lstm", "lr=0.1")
	text := scores.Text{Encoded: m.Encode("a dull plot and a good cast , but not songs"), Class: 1}
	exact := must.Get(scores.New(m, 1).Enumerated(t.Context(), text))(t)
	fit, _ := must.Get2(scores.New(m, 0).Linear(t.Context(), text, 50_000))(t) // intervals of 300 are thirteen times as wide
	const seeds = 60
	var values, weights, all float64
	for seed := range uint64(seeds) {
		a := scores.New(m, seed+1)
		got, within := must.Get2(a.Sampled(t.Context(), text, 150))(t)
		require.InDelta(t, sum(exact), sum(got), 1e-4)
		values += near(exact, got, within)
		got, within = must.Get2(a.Linear(t.Context(), text, 300))(t)
		weights += near(fit, got, within)
		all += float64(len(got))
	}
	require.InDelta(t, 0.95, values/all, 0.04, "Shapley values")
	require.InDelta(t, 0.95, weights/all, 0.04, "LIME")
}

// near counts the numbers that are within their distance of others.
func near(want, got, within []float64) (n float64) {
	for i, w := range want {
		if w >= got[i]-within[i] && w <= got[i]+within[i] {
			n++
		}
	}
	return n
}

func sum(list []float64) (total float64) {
	for _, v := range list {
		total += v
	}
	return total
}

func float64s(list []float32) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}

func TestEstimatesTakeOneWord(t *testing.T) {
	m := infertest.Open(t, "tme9-lstm", "lr=0.1")
	for _, name := range []string{"lime", scores.SHAP} {
		got, _ := of(t, m, name, "dull", "")
		require.Len(t, got[0], 1)
		require.Len(t, got[1], 1)
	}
	a := scores.New(m, 1)
	require.ErrorContains(t, must.Fail2(a.Linear(t.Context(), scores.Text{Encoded: m.Encode(strings.Repeat("dull ", 60))}, 50)), "do not distinguish its 60 words")
}

// The matrix of an estimate has the square of the words: a text of a book is refused, not the memory exhausted.
func TestEstimatesOfLongTexts(t *testing.T) {
	m := infertest.Open(t, "tme9-mean", "lr=0.1")
	text := m.Encode(strings.Repeat("dull ", 5000))
	for _, name := range []string{scores.LIME, scores.SHAP} {
		s := must.Get(scores.Lookup(name))(t)
		require.ErrorContains(t, must.Fail(scores.New(m, 0).Compute(t.Context(), s, []scores.Text{{Encoded: text}})), "the text has 5000 words")
	}
}
