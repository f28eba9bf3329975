package training_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// realDisk mounts a file system of so many bytes, in memory, and returns its
// folder and a way to mount it anew with other options. It takes root.
func realDisk(t *testing.T, size int) (dir string, remount func(flags uintptr, size int)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir, func(flags uintptr, size int) {
		require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, fmt.Sprintf("size=%d", size)))
	}
}

var onDisk = append([]string{"epochs=3", "select=best", "lr=0.01"}, testrun.Few...)

// A disk that is full wherever it is full: the run says so, goes on when there is
// more room, and ends with the bytes that it would have had.
func TestRealFullDisk(t *testing.T) {
	p := testrun.Plan(t, "tme9-lstm", onDisk...)
	r := testrun.Runner(t, t.TempDir(), 1)
	want := testrun.Result(t, testrun.Train(t, r, p))
	words := int(runs.StoreSize(r.Dir))
	dir, remount := realDisk(t, 4096)
	r.Dir, r.CheckpointEvery = filepath.Join(dir, "runs"), 1
	failed, size, step := 0, words/2, 120<<10
	if testrun.Long() {
		step = 40 << 10
	}
	for ; ; size = max(words, size) + step {
		require.Less(t, failed, 100)
		remount(0, size)
		o, err := r.Run(context.Background(), p, training.Hooks{})
		if err == nil {
			require.Equal(t, want, testrun.Result(t, o.Run))
			break
		}
		failed++
		require.ErrorIs(t, err, syscall.ENOSPC)
		list := must.Get(runs.List(r.Dir))(t)
		for _, run := range list {
			require.NotEqual(t, runs.Damaged, run.Status.State)
		}
	}
	require.Greater(t, failed, 5)
	t.Logf("full %d times, up to %d kB", failed, size>>10)
}

// A file system that cannot be written to: an error, and all that there was
// stays.
func TestRealReadOnlyDisk(t *testing.T) {
	p := testrun.Plan(t, "tme9-lstm", onDisk...)
	r := testrun.Runner(t, t.TempDir(), 1)
	want := testrun.Result(t, testrun.Train(t, r, p))
	dir, remount := realDisk(t, 8<<20)
	r.Dir = dir
	interrupted(t, r, p, 2)
	remount(syscall.MS_RDONLY, 8<<20)
	require.ErrorIs(t, must.Fail(r.Run(context.Background(), p, training.Hooks{})), syscall.EROFS)
	remount(0, 8<<20)
	require.Equal(t, want, testrun.Result(t, testrun.Train(t, r, p)))
}

// A run's folder that is not ours to write in.
func TestRealPermissionDenied(t *testing.T) {
	p := testrun.Plan(t, "tme9-simple", onDisk...)
	r := testrun.Runner(t, t.TempDir(), 1)
	want := testrun.Result(t, testrun.Train(t, r, p))
	r.Dir = t.TempDir()
	interrupted(t, r, p, 2)
	list, err := runs.List(r.Dir)
	require.NoError(t, err)
	folder := list[0].Path
	require.NoError(t, os.Chmod(folder, 0o555))
	require.NoError(t, os.Chmod(filepath.Join(folder, ".lock"), 0o444))
	// Root may write anywhere: be somebody else for the while.
	if os.Geteuid() == 0 {
		for d := r.Dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
			require.NoError(t, os.Chmod(d, 0o755))
		}
		require.NoError(t, syscall.Seteuid(65534))
		defer func() { require.NoError(t, syscall.Seteuid(0)) }()
	}
	_, err = r.Run(context.Background(), p, training.Hooks{})
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorContains(t, err, folder)
	if os.Geteuid() != 0 {
		_ = syscall.Seteuid(0) // where it was somebody else
	}
	require.NoError(t, os.Chmod(folder, 0o755))
	require.NoError(t, os.Chmod(filepath.Join(folder, ".lock"), 0o644))
	require.Equal(t, want, testrun.Result(t, testrun.Train(t, r, p)))
}

// The error for a run without read permission does not advise --force, which would discard the run.
func TestDeniedIsNotForced(t *testing.T) {
	p := testrun.Plan(t, "tme9-simple", append([]string{"epochs=1"}, testrun.Few...)...)
	r := testrun.Runner(t, t.TempDir(), 1)
	run := testrun.Train(t, r, p)
	require.NoError(t, os.Chmod(filepath.Join(run.Path, "last.safetensors"), 0))
	if os.Getuid() == 0 { // root may read everything
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(t, syscall.Setfsuid(65534))
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	_, _, _, err := rerun(t, r, p)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, "ask its owner")
	require.NotContains(t, err.Error(), "--force")
}
