package battery_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/internal/testkit/testmodel"
)

var update = flag.Bool("update", false, "write testdata/versions.json anew")

// versioned is what a version of a test comes to on a small run: the mean of all values
// of each statistic.
type versioned struct {
	Version int                `json:"version"`
	Means   map[string]float64 `json:"means"`
}

// What exp explain --out has kept of a test is taken over as long as the test has the same
// version: one that comes to other numbers, be it by a score, has to have another.
func TestVersionsRise(t *testing.T) {
	run, pool := testmodel.Train(t, "tme9-lstm", "lr=0.05", "epochs=10")
	s := subject(t, run, pool)
	got := map[string]versioned{}
	for _, test := range battery.All() {
		r, err := test.Run(t.Context(), s)
		require.NoError(t, err)
		sum, n := map[string]float64{}, map[string]float64{}
		for _, v := range r.Values {
			if x := float64(v.Value); !math.IsNaN(x) {
				sum[v.Statistic], n[v.Statistic] = sum[v.Statistic]+x, n[v.Statistic]+1
			}
		}
		for k := range sum {
			sum[k] /= n[k]
		}
		got[test.Name] = versioned{test.Version, sum}
	}
	const file = "testdata/versions.json"
	if *update {
		b, err := json.MarshalIndent(got, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, append(b, '\n'), 0o666))
	}
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var want map[string]versioned
	require.NoError(t, json.Unmarshal(b, &want))
	for name, g := range got {
		w := want[name]
		same := len(g.Means) == len(w.Means)
		for k, x := range g.Means {
			y, ok := w.Means[k]
			same = same && ok && math.Abs(x-y) <= 1e-6*math.Abs(y)+1e-12
		}
		if !same && g.Version == w.Version {
			t.Errorf("%s comes to other numbers, %v and not %v: raise its Version, so that results kept by --out are not taken over, and run this test with -update", name, g.Means, w.Means)
		}
		require.Equal(t, w.Version, g.Version, "%s has another version: run this test with -update", name)
	}
}
