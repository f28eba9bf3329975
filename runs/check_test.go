package runs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// A missing environment.json is not damage, because the run can be used without it. An unreadable
// one is.
func TestCheckOfLostEnvironment(t *testing.T) {
	r := trained(t, t.TempDir())
	path := filepath.Join(r.Path, "environment.json")
	check := func() []error {
		r, err := runs.Open(r.Path)
		require.NoError(t, err)
		return r.Check()
	}
	whole := len(check())
	require.NoError(t, os.Remove(path))
	require.Len(t, check(), whole)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	require.Len(t, check(), whole+1)
}
