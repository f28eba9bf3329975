package battery_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/infer/infertest"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/sample"
	"imdbexp/report/stats"
)

// The words marked in the sample are its verdicts, and the numbers are the means over
// reviews of what they say.
func TestPlausibility(t *testing.T) {
	m := infertest.Open(t, "tme9-simple")
	split := infertest.Split(t, m, 15)
	marked, err := m.Marked(t.Context(), t.TempDir(), "sample", split, folder.Options{})
	require.NoError(t, err)
	_, test := sample.Reviews()
	verdicts := map[string]int{}
	for _, r := range test {
		verdicts[r.ID] = len(r.Verdict)
	}
	for i, list := range marked {
		n := 0
		for _, m := range list {
			if m {
				n++
			}
		}
		require.Equal(t, verdicts[split.Names[i]], n, split.Names[i])
	}
	all := scores.All()
	s, err := battery.NewSubject(t.Context(), m, split, []*scores.Score{all[0], all[len(all)-1]}, 1)
	require.NoError(t, err)
	defer s.Close()
	plausibility, err := battery.Lookup("plausibility")
	require.NoError(t, err)
	r, err := plausibility.Run(t.Context(), s)
	require.NoError(t, err)
	require.Contains(t, r.Lacks, "are not marked")
	s.Marks = func(context.Context) ([][]bool, error) { return marked, nil }
	r, err = plausibility.Run(t.Context(), s)
	require.NoError(t, err)
	list, err := s.Compute(t.Context(), all[0])
	require.NoError(t, err)
	area, first := 0.0, 0.0
	for i, weights := range list {
		wide := make([]float64, len(weights))
		for k, w := range weights {
			wide[k] = float64(w)
		}
		area += stats.AUPRC(marked[i], wide) / float64(len(list))
		if marked[i][scores.Falling(weights)[0]] {
			first += 1 / float64(len(list))
		}
	}
	require.Equal(t, []string{"AUPRC", "token F1", "intersection over union", "first word marked"}, []string{r.Values[0].Statistic, r.Values[1].Statistic, r.Values[2].Statistic, r.Values[3].Statistic})
	require.InDelta(t, area, float64(r.Values[0].Value), 1e-12)
	require.InDelta(t, first, float64(r.Values[3].Value), 1e-12)
	wilson, err := stats.Wilson(first*30, 30)
	require.NoError(t, err)
	require.InDelta(t, wilson.High, float64(r.Values[3].High), 1e-12, "of a share, as each review has its first word marked or not")
	require.Contains(t, r.Notes[0], "30 of the reviews have marked words")

	// Weights that are all equal are beside what is drawn by chance, without its noise.
	equal := r.Values[len(r.Values)-4:]
	chance := r.Values[len(r.Values)-8:]
	for i, v := range equal {
		require.Equal(t, "equal weights", v.Of)
		if v.Statistic != "AUPRC" { // of an order, drawn or not, it is more than of none
			require.InDelta(t, float64(v.Value), float64(chance[i].Value), 0.12, v.Statistic)
		}
	}
	prevalence := 0.0
	for _, m := range marked {
		prevalence += stats.AUPRC(m, make([]float64, len(m))) / float64(len(marked))
	}
	require.InDelta(t, prevalence, float64(equal[0].Value), 1e-12)
}
