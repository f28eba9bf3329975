package runs_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// synced syncs the files of a test, as for users.
func synced(t *testing.T) {
	t.Helper()
	before := fsx.Unsynced
	fsx.Unsynced = false
	t.Cleanup(func() { fsx.Unsynced = before })
}

func read(t *testing.T, path string) string {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	return string(b)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// at fails the n-th change (from 0) with err; a write fails after part bytes.
func at(n, part int, err error, seen *[]fsx.Op) fsx.Hook {
	return func(op fsx.Op) error {
		*seen = append(*seen, op)
		if len(*seen)-1 != n {
			return nil
		}
		return &fsx.Short{N: part, Err: err}
	}
}

// If any change fails, the file is the old or the new one, complete, and no temporary file is left.
func TestWriteFileFails(t *testing.T) {
	synced(t)
	for n := 0; ; n++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		require.NoError(t, fsx.WriteBytes(path, []byte("old")))
		var seen []fsx.Op
		restore := fsx.Inject(at(n, 1, syscall.ENOSPC, &seen))
		err := fsx.WriteBytes(path, []byte("new"))
		restore()
		require.Equal(t, []string{"f"}, names(t, dir))
		if err == nil {
			require.Equal(t, "new", read(t, path))
			require.Len(t, seen, 5) // create, write, sync, rename, sync folder
			return
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		if seen[n].Do == fsx.SyncDir {
			require.Equal(t, "new", read(t, path))
		} else {
			require.ErrorContains(t, err, path+": ")
			require.Equal(t, "old", read(t, path), "after failing to %s", seen[n].Do)
		}
	}
}

func TestRemoveTemps(t *testing.T) {
	synced(t)
	dir := t.TempDir()
	dead := false
	restore := fsx.Inject(func(op fsx.Op) error {
		if dead = dead || op.Do == fsx.Rename; dead {
			return io.ErrClosedPipe
		}
		return nil
	})
	require.Error(t, fsx.WriteBytes(filepath.Join(dir, "f"), []byte("x")))
	restore()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.aside"), nil, 0o666))
	require.Len(t, names(t, dir), 2)
	require.NoError(t, fsx.In(dir).RemoveTemps())
	require.Equal(t, []string{"mine.aside"}, names(t, dir))
}

func TestAppend(t *testing.T) {
	synced(t)
	path := filepath.Join(t.TempDir(), "f")
	require.ErrorIs(t, must.Fail(fsx.In(filepath.Dir(path)).Append(filepath.Base(path), 3)), os.ErrNotExist)
	a := must.Get(fsx.In(filepath.Dir(path)).Append(filepath.Base(path), 0))(t)
	fmt.Fprint(a, "hello")
	require.EqualValues(t, 5, a.Len())
	require.NoError(t, a.Sync())
	require.NoError(t, a.Close())

	a = must.Get(fsx.In(filepath.Dir(path)).Append(filepath.Base(path), 3))(t)
	fmt.Fprint(a, "p")
	var seen []fsx.Op
	restore := fsx.Inject(at(0, 2, syscall.ENOSPC, &seen))
	_, err := fmt.Fprint(a, "xyz")
	restore()
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.EqualValues(t, 6, a.Len(), "what a short write left counts")
	require.NoError(t, a.Close())
	require.Equal(t, "helpxy", read(t, path))

	require.ErrorContains(t, must.Fail(fsx.In(filepath.Dir(path)).Append(filepath.Base(path), 7)), "is 6 bytes long and must have at least 7")
}

func TestReadFile(t *testing.T) {
	synced(t)
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("12345"), 0o666))
	b := must.Get(fsx.ReadFile(path, 5))(t)
	require.Equal(t, "12345", string(b))
	require.ErrorContains(t, must.Fail(fsx.ReadFile(path, 4)), "is 5 bytes long, more than the 4 allowed")
	require.ErrorContains(t, must.Fail(fsx.ReadFile(filepath.Dir(path), 4)), "is a folder, not a regular file")
}

func TestMake(t *testing.T) {
	synced(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b")
	restore := fsx.Inject(func(op fsx.Op) error { return syscall.EROFS })
	require.ErrorIs(t, fsx.In(path).Make(), syscall.EROFS)
	restore()
	require.Empty(t, names(t, dir))
	require.NoError(t, fsx.In(path).Make())
	require.NoError(t, fsx.In(path).Make())
	require.DirExists(t, path)
}

func TestLockInOneProcess(t *testing.T) {
	synced(t)
	path := filepath.Join(t.TempDir(), "lock")
	require.Nil(t, fsx.In(filepath.Dir(path)).Holder(filepath.Base(path)))
	require.NoFileExists(t, path)
	l := must.Get(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path)))(t)
	require.Equal(t, os.Getpid(), fsx.In(filepath.Dir(path)).Holder(filepath.Base(path)).PID)
	_, err := fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path))
	held, ok := errors.AsType[*fsx.HeldError](err)
	require.True(t, ok)
	require.Equal(t, os.Getpid(), held.PID)
	host, _ := os.Hostname()
	require.EqualError(t, err, fmt.Sprintf("%s is held by process %d on %s", path, os.Getpid(), host))
	require.NoError(t, l.Release())
	require.Nil(t, fsx.In(filepath.Dir(path)).Holder(filepath.Base(path)))
	l = must.Get(fsx.In(filepath.Dir(path)).Acquire(filepath.Base(path)))(t)
	require.NoError(t, l.Release())
	require.EqualError(t, &fsx.HeldError{Path: "p"}, "p is held by another process")
}

// The second name keeps its content when the first is written again, with and without hard links.
func TestLinkFile(t *testing.T) {
	synced(t)
	for _, links := range []bool{true, false} {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		require.ErrorIs(t, fsx.In(filepath.Dir(from)).Link(filepath.Base(from), filepath.Base(to)), os.ErrNotExist)
		require.NoError(t, fsx.WriteBytes(from, []byte("one")))
		require.NoError(t, fsx.WriteBytes(to, []byte("none")))
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do == fsx.Link && !links {
				return syscall.EPERM
			}
			return nil
		})
		require.NoError(t, fsx.In(filepath.Dir(from)).Link(filepath.Base(from), filepath.Base(to)))
		require.NoError(t, fsx.In(filepath.Dir(from)).Link(filepath.Base(from), filepath.Base(to)), "again, now that both are one")
		require.NoError(t, fsx.WriteBytes(from, []byte("two")))
		restore()
		require.Equal(t, "one", read(t, to))
		require.Equal(t, "two", read(t, from))
		require.Equal(t, []string{"a", "b"}, names(t, dir))
	}
}

// Whichever change fails, the second name is the old file or the new one.
func TestLinkFileFails(t *testing.T) {
	synced(t)
	for n := 0; ; n++ {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		require.NoError(t, fsx.WriteBytes(from, []byte("new")))
		require.NoError(t, fsx.WriteBytes(to, []byte("old")))
		left := n
		restore := fsx.Inject(func(fsx.Op) error { // this change and all later ones, such as the copy
			if left--; left < 0 {
				return syscall.EIO
			}
			return nil
		})
		err := fsx.In(filepath.Dir(from)).Link(filepath.Base(from), filepath.Base(to))
		restore()
		if err == nil {
			require.Equal(t, "new", read(t, to))
			return
		}
		require.ErrorIs(t, err, syscall.EIO)
		require.Equal(t, "old", read(t, to))
	}
}

// Rename moves a file from a folder below into the folder, but not through a link.
func TestRename(t *testing.T) {
	synced(t)
	dir := t.TempDir()
	d := fsx.In(dir)
	require.NoError(t, d.Sub("below").Make())
	require.NoError(t, d.Sub("below").WriteBytes("a", []byte("new")))
	require.NoError(t, d.WriteBytes("b", []byte("old")))
	require.NoError(t, d.Rename(filepath.Join("below", "a"), "b"))
	b := must.Get(d.ReadFile("b", 10))(t)
	require.Equal(t, "new", string(b))
	require.ErrorIs(t, d.Rename("a", "b"), fs.ErrNotExist)
	require.ErrorContains(t, d.Rename("below", "b"), "is a folder, not a regular file")
	require.NoError(t, d.CheckRegular("a", "b"))
	require.ErrorContains(t, d.CheckRegular("b", "below"), filepath.Join(dir, "below")+" is a folder, not a regular file")

	elsewhere := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "a"), nil, 0o666))
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link")); err != nil {
		t.Skip(err) // on Windows
	}
	require.ErrorContains(t, d.Rename(filepath.Join("link", "a"), "b"), "path escapes")
	require.FileExists(t, filepath.Join(elsewhere, "a"))
}

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
	synced(t)
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
	synced(t)
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
	synced(t)
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
	synced(t)
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
	synced(t)
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

// A file system whose locks keep nobody out is found.
func TestCheckLocks(t *testing.T) {
	synced(t)
	require.NoError(t, fsx.CheckLocks(fsx.In(t.TempDir()).Acquire))
	n, dir := 0, fsx.In(t.TempDir())
	require.ErrorIs(t, fsx.CheckLocks(func(name string) (*fsx.Lock, error) {
		n++
		return dir.Acquire(fmt.Sprint(name, n)) // another file each time
	}), fsx.ErrNoLocks)
	full := errors.New("no space left on device")
	defer fsx.Inject(func(fsx.Op) error { return full })()
	require.ErrorIs(t, fsx.CheckLocks(fsx.In(t.TempDir()).Acquire), full)
}
