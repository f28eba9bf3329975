package runs_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/runs"
)

// On a file system without locks nothing is trained and existing files stay.
func TestFolderWithoutLocks(t *testing.T) {
	c, dir := config(t, "select=best"), t.TempDir()
	reference := t.TempDir()
	require.NoError(t, train(reference, c))
	stopped(t, dir, c, 2)
	restore := fsx.Inject(func(op fsx.Op) error {
		if op.Do == fsx.TakeLock {
			return syscall.ENOLCK
		}
		return nil
	})
	err := train(dir, c)
	other := train(t.TempDir(), c)
	restore()
	require.ErrorContains(t, err, "the file system may have no locks")
	require.ErrorIs(t, other, syscall.ENOLCK)
	require.NoError(t, train(dir, c))
	require.Equal(t, contents(t, runs.Folder(reference, &c)), contents(t, runs.Folder(dir, &c)))
}
