package runs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// Files of another user are not damaged: the error says that their owner must allow reading.
func TestDenied(t *testing.T) {
	dir := t.TempDir()
	r := trained(t, dir)
	for _, path := range []string{filepath.Join(r.Path, "last.safetensors"), filepath.Join(r.Path, "metrics.jsonl"), r.Path} {
		info := must.Get(os.Stat(path))(t)
		require.NoError(t, os.Chmod(path, 0))
		err := unprivileged(func() error { _, err := runs.Open(r.Path); return err })
		require.NoError(t, os.Chmod(path, info.Mode()))
		require.ErrorIs(t, err, fs.ErrPermission)
		require.False(t, runs.IsDamage(err))
		require.ErrorContains(t, err, "ask its owner to run chmod -R a+rX")
	}
}

// unprivileged calls f with the file permissions of a user other than root.
func unprivileged(f func() error) error {
	if os.Getuid() != 0 {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		return err
	}
	defer func() { _ = syscall.Setfsuid(0) }()
	return f()
}
