package runs_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// A clock that is set back between two sessions changes no result.
func TestClockGoesBack(t *testing.T) {
	c := config(t, "epochs=4", "select=best")
	reference := t.TempDir()
	require.NoError(t, train(reference, c))
	dir := t.TempDir()
	stopped(t, dir, c, 3)
	now := clock
	defer func() { clock = now }()
	clock = clock.AddDate(-3, 0, 0)
	require.NoError(t, train(dir, c))
	require.Equal(t, contents(t, runs.Folder(reference, &c)), contents(t, runs.Folder(dir, &c)))
	r := must.Get(runs.Find(dir, "tme9-simple"))(t)
	all := must.Get(r.Environments())(t)
	require.Negative(t, all[1].Started.Sub(all[0].Started))
	require.Less(t, r.Time().Year(), now.Year())
}

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
