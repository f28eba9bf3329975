package explain

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/report/claims"
)

// Every number that claims use is in the results of the tests, and is read again from stored
// results.
func TestClaimsAskForWhatTestsTell(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple")
	s := subject(t, run, 1, 12).only(scores.Attention, scores.Gradient, scores.LeaveOut)
	asked := map[string]bool{} // tests
	for _, a := range claims.Asked() {
		asked[a[0]] = true
		if a[0] == "retrained" && !slices.Contains(s.peers, peer{a[2], run}) {
			s.peers = append(s.peers, peer{a[2], run})
		}
	}
	dir := t.TempDir()
	for name := range asked {
		test := Named(name)
		r := must.Get(test.Run(t.Context(), s))(t)
		require.NoError(t, saved{About: about{Run: "4f2a91", Test: name, Version: test.Version}, Result: r}.write(dir))
	}
	found := must.Get(Claims(dir))(t)
	for _, a := range claims.Asked() {
		require.True(t, slices.ContainsFunc(found, func(e claims.Explained) bool {
			return e.Run == "4f2a91" && e.Test == a[0] && slices.ContainsFunc(e.Values, func(v claims.ExplainedValue) bool {
				return v.Statistic == a[1] && v.Of == a[2] && v.Part == a[3] && v.Reviews > 0
			})
		}), a)
	}

	// Results of another version and other files are omitted, with an error.
	require.NoError(t, saved{About: about{Run: "old", Test: "agreement", Version: -1}, Result: &Result{}}.write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results", "x.json"), []byte("{}"), 0o666))
	again, err := Claims(dir)
	require.Len(t, again, len(found))
	require.ErrorContains(t, err, "old-agreement.json: from another version")
	require.ErrorContains(t, err, "x.json: no results of exp explain")
	require.Equal(t, 2, strings.Count(err.Error(), "\n")+1)
	require.ErrorIs(t, must.Fail(Claims(t.TempDir())), ErrNone)
}

var update = flag.Bool("update", false, "write testdata/versions.json anew")

// versioned is the result of a version of a test on a small run: the mean of all values of
// each statistic.
type versioned struct {
	Version int                `json:"version"`
	Means   map[string]float64 `json:"means"`
}

// exp explain --out reuses a stored result if the test has the same version. So a test whose
// numbers change, also by a change of a score, needs another version.
func TestVersionsRise(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-lstm", "lr=0.05", "epochs=10")
	s := subject(t, run, 1, 6)
	s.peers = []peer{{"itself", run}}
	got := map[string]versioned{}
	for _, test := range tests {
		r := must.Get(test.Run(t.Context(), s))(t)
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
		b := must.Get(json.MarshalIndent(got, "", "\t"))(t)
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, append(b, '\n'), 0o666))
	}
	b := must.Get(os.ReadFile(file))(t)
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
			t.Errorf("%s gives %v instead of %v: raise its Version, so that --out does not reuse stored results, and run this test with -update", name, g.Means, w.Means)
		}
		require.Equal(t, w.Version, g.Version, "%s has another version: run this test with -update", name)
	}
}
