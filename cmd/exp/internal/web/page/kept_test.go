package beside_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/report"
	"imdbexp/runs"
)

// What a page keeps of runs are their results, with the settings in which they differ, the
// metrics of every epoch, and histograms that are not large.
func TestKeep(t *testing.T) {
	one, _ := testmodel.Train(t, "tme9-simple", "epochs=2")
	two, _ := testmodel.Train(t, "tme10-cls", "layers=2", "heads=2")
	k, err := beside.Keep([]*runs.Run{one, two})
	require.NoError(t, err)
	require.Equal(t, []string{beside.Name(&one.Config), beside.Name(&two.Config)}, k.Comparison.Heads)
	require.Len(t, k.Runs[0].Metrics, 2)
	r := report.ReadAll([]*runs.Run{one})[0]
	require.Equal(t, beside.Line{Name: "test accuracy (%)", Values: []string{beside.Number(&r.Chosen.TestAcc, 2), k.Comparison.Results[0].Values[1]}}, k.Comparison.Results[0])
	require.Equal(t, r.Chosen.TestAcc, *k.Runs[0].Metrics[1].TestAcc)
	differ := map[string][]string{}
	for _, l := range k.Comparison.Settings {
		differ[l.Name] = l.Values
	}
	require.Equal(t, []string{"2", "1"}, differ["epochs"])

	all, err := one.Entropies()
	require.NoError(t, err)
	count := func(h runs.Histogram) (n int) {
		for _, c := range h.Counts {
			n += c
		}
		return n
	}
	kept := k.Runs[0].Entropies[0].Histograms
	require.Len(t, kept, len(all))
	for i, h := range all {
		require.Equal(t, count(h), count(kept[i]))
	}
	require.Len(t, k.Runs[1].Entropies, len(k.Runs[1].Wheres))
	require.Greater(t, len(k.Runs[1].Wheres), 3)
	b, err := json.Marshal(k)
	require.NoError(t, err)
	require.NotContains(t, string(b), filepath.Dir(one.Path))
}
