package battery_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/infertest"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/report/claims"
)

// Every number that claims go by is one that the tests tell, and what is kept of them is
// found again.
func TestClaimsAskForWhatTestsTell(t *testing.T) {
	m := infertest.Open(t, "tme9-simple")
	split := infertest.Split(t, m, 6)
	wanted := slices.DeleteFunc(slices.Clone(scores.All()), func(s *scores.Score) bool { return s.Name != scores.Gradient && s.Name != "leaveout" })
	s, err := battery.NewSubject(t.Context(), m, split, wanted, 1)
	require.NoError(t, err)
	defer s.Close()
	asked := map[string]bool{} // tests
	for _, a := range claims.Asked() {
		asked[a[0]] = true
		titled := func(p battery.Peer) bool { return p.Title == a[2] }
		if a[0] == "retrained" && !slices.ContainsFunc(s.Peers, titled) {
			s.Peers = append(s.Peers, battery.Peer{Kind: battery.PeerSeed, Title: a[2], Open: func(context.Context) (*infer.Model, *infer.Split, error) {
				run, pool := testmodel.Train(t, "tme9-simple")
				m, err := infer.Open(run, pool)
				return m, split, err
			}})
		}
	}
	dir := t.TempDir()
	for name := range asked {
		test, err := battery.Lookup(name)
		require.NoError(t, err)
		r, err := test.Run(t.Context(), s)
		require.NoError(t, err)
		require.NoError(t, (&battery.Kept{About: battery.About{Run: "4f2a91", Test: name, Version: test.Version}, Result: r}).Write(dir))
	}
	found, err := battery.Claims(dir)
	require.NoError(t, err)
	for _, a := range claims.Asked() {
		require.True(t, slices.ContainsFunc(found, func(e claims.Explained) bool {
			return e.Run == "4f2a91" && e.Test == a[0] && slices.ContainsFunc(e.Values, func(v claims.ExplainedValue) bool {
				return v.Statistic == a[1] && v.Of == a[2] && v.Part == a[3] && v.Reviews > 0
			})
		}), a)
	}

	// What is of another version, or nothing of the kind, is left out and told.
	require.NoError(t, (&battery.Kept{About: battery.About{Run: "old", Test: "agreement", Version: -1}, Result: &battery.Result{}}).Write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results", "x.json"), []byte("{}"), 0o666))
	again, err := battery.Claims(dir)
	require.Len(t, again, len(found))
	require.ErrorContains(t, err, "old-agreement.json: of another version")
	require.ErrorContains(t, err, "x.json: no results of exp explain")
	require.Equal(t, 2, strings.Count(err.Error(), "\n")+1)
	_, err = battery.Claims(t.TempDir())
	require.ErrorIs(t, err, battery.ErrNone)
}
