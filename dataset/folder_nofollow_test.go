//go:build !windows

package dataset_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// What this program keeps in the data folder is no link: nothing is written, made or
// removed through one. The data folder itself may be one, and the folder of caches, and so
// may what is added.
func TestAddFollowsNoLinks(t *testing.T) {
	archive := put(t, "a.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
	linked := filepath.Join(t.TempDir(), "linked.tar.gz")
	require.NoError(t, os.Symlink(archive, linked))
	for _, name := range []string{"lock"} {
		t.Run(name, func(t *testing.T) {
			elsewhere, dir := t.TempDir(), filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.Symlink(t.TempDir(), dir))
			victim := fixture.Put(t, elsewhere, "victim", []byte("{}"))
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
			require.NoError(t, os.Symlink(victim, filepath.Join(dir, name)))
			var warned error
			_, err := folder.Add(ctx, dir, linked, false, folder.Options{Warn: func(err error) { warned = err }})
			_, refused := errors.AsType[*fsx.KindError](errors.Join(err, warned))
			require.True(t, refused, "%v, %v", err, warned)
			require.ErrorContains(t, errors.Join(err, warned), filepath.Join(dir, name)+" is a symbolic link")
			got := must.Get(os.ReadFile(victim))(t)
			require.Equal(t, "{}", string(got))
			noStage(t, dir)

			require.NoError(t, os.Remove(filepath.Join(dir, name)))
			must.Get(folder.Add(ctx, dir, linked, true, folder.Options{}))(t)
		})
	}
}

// A user's own file of the name of the lock is not written to.
func TestLockOfUser(t *testing.T) {
	archive := put(t, "a.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
	dir := t.TempDir()
	fixture.Put(t, dir, "lock", []byte("# the combination is 12-34-56\n"))
	require.ErrorContains(t, must.Fail(folder.Add(ctx, dir, archive, false, folder.Options{})), filepath.Join(dir, "lock")+" is not a lock file")
	got := must.Get(os.ReadFile(filepath.Join(dir, "lock")))(t)
	require.Equal(t, "# the combination is 12-34-56\n", string(got))
}

// A FIFO or a device is an error at once: reading it could wait for ever.
func TestAddFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	for _, file := range []string{fifo, "/dev/zero"} {
		require.ErrorContains(t, must.Fail(folder.Add(ctx, t.TempDir(), file, false, folder.Options{})), "not a regular file")
		require.ErrorContains(t, must.Fail(folder.AddVectors(ctx, t.TempDir(), file, "mine", false, folder.Options{})), "not a regular file")
		_, _, err := vectors.Detect(ctx, file)
		require.ErrorContains(t, err, "not a regular file")
	}
}
