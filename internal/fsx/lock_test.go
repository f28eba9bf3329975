package fsx_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
)

// holder makes this test binary a process that takes a lock and waits.
const holder = "FSX_TEST_HOLDER"

func TestMain(m *testing.M) {
	if path := os.Getenv(holder); path != "" {
		_, err := fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path))
		fmt.Println("locked:", err)
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

// A killed process leaves its name in the lock and the lock free.
func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	exe := must.Get(os.Executable())(t)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), holder+"="+path)
	out := must.Get(cmd.StdoutPipe())(t)
	require.NoError(t, cmd.Start())
	line := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	require.Equal(t, "locked: <nil>\n", line)

	_, err := fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path))
	held, ok := errors.AsType[*fsx.HeldError](err)
	require.True(t, ok)
	require.Equal(t, cmd.Process.Pid, held.PID)
	require.Equal(t, held, fsx.In(filepath.Dir(path)).Holder(filepath.Base(path)))

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // "signal: killed"
	require.Contains(t, read(t, path), fmt.Sprint(cmd.Process.Pid), "its name stays")
	require.Nil(t, fsx.In(filepath.Dir(path)).Holder(filepath.Base(path)))
	l := must.Get(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path)))(t)
	require.NoError(t, l.Release())
}

// Checking a free lock does not prevent another process from taking it.
func TestHolderIsInNobodysWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	require.NoError(t, os.WriteFile(path, []byte("#1 dead\n"), 0o666)) // by a process that has died
	asking := flock.New(path, flock.SetFlag(os.O_RDONLY))              // as Holder does
	ok := must.Get(asking.TryRLock())(t)
	require.True(t, ok)
	time.AfterFunc(10*time.Millisecond, func() { _ = asking.Unlock() })
	l := must.Get(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path)))(t)
	require.NoError(t, l.Release())
}

// A lock that is removed while it is held is a new lock for the next process.
func TestLockRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l := must.Get(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path)))(t)
	require.NoError(t, l.Remove())
	require.NoFileExists(t, path)
	l = must.Get(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path)))(t)
	require.Error(t, must.Fail(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path))))
	require.NoError(t, l.Release())
}

// Some network file systems have no locks.
func TestNoLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	restore := fsx.Inject(func(op fsx.Op) error {
		if op.Do == fsx.TakeLock {
			return syscall.ENOLCK
		}
		return nil
	})
	defer restore()
	_, err := fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path))
	require.ErrorIs(t, err, syscall.ENOLCK)
	require.ErrorContains(t, err, "cannot lock "+path)
	require.ErrorContains(t, err, "the file system may have no locks: choose a folder on another one")
}

// Temporary files that a killed process left go when the file is written again. Those of a
// running process stay, and so do other files.
func TestAbandonedTempsGo(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "model.onnx"), time.Now().Add(-2*time.Hour)
	for _, name := range []string{".model.onnx.123.aside", ".other.onnx.123.aside", ".model.onnx.mine"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666))
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	require.NoError(t, fsx.WriteFile(path, func(w io.Writer) error {
		require.NoFileExists(t, filepath.Join(dir, ".model.onnx.123.aside"))
		return fsx.WriteFile(path, func(io.Writer) error { return nil }) // at the same time
	}))
	require.Equal(t, []string{".model.onnx.mine", ".other.onnx.123.aside", "model.onnx"}, names(t, dir))
}
