package runs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// Shorter sees runs that were added, removed or damaged since its last call.
func TestShorterLooksAgain(t *testing.T) {
	dir := t.TempDir()
	c := config(t, "epochs=5")
	shorter := func() *runs.Run {
		t.Helper()
		r, err := runs.Shorter(dir, &c)
		require.NoError(t, err)
		return r
	}
	require.Nil(t, shorter())
	two := trained(t, dir, "epochs=2")
	require.Equal(t, 2, shorter().Config.Epochs())
	for _, seed := range []string{"seed=2", "seed=3"} {
		trained(t, dir, "epochs=4", seed)
	}
	three := trained(t, dir, "epochs=3")
	require.Equal(t, 3, shorter().Config.Epochs())
	require.NoError(t, os.RemoveAll(three.Path))
	require.Equal(t, 2, shorter().Config.Epochs())

	// One that is damaged is in nobody's way while another will do, and told otherwise.
	bad := filepath.Join(dir, c.Name, "0123456789ab")
	require.NoError(t, os.Mkdir(bad, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(bad, "config.yaml"), []byte("format: ["), 0o666))
	require.Equal(t, 2, shorter().Config.Epochs())
	require.NoError(t, os.RemoveAll(two.Path))
	none, err := runs.Shorter(dir, &c)
	require.Nil(t, none)
	require.Len(t, runs.Unreadable(err), 1)
}
