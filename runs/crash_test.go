package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// results are the files that must not depend on interruptions.
var results = []string{"config.yaml", "metrics.jsonl", "entropy.jsonl", "predictions.tsv", "last.safetensors", "prev.safetensors", "best.safetensors"}

// memory returns a folder in memory if the system has one: these tests sync thousands of files, and
// simulate the disk that loses them.
func memory(t require.TestingT) (dir string, remove func()) {
	parent := "/dev/shm"
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = ""
	}
	dir, err := os.MkdirTemp(parent, "runs")
	if err != nil {
		dir, err = os.MkdirTemp("", "runs")
	}
	require.NoError(t, err)
	return dir, func() { os.RemoveAll(dir) }
}

func contents(t require.TestingT, path string) map[string]string {
	m := map[string]string{}
	for _, name := range results {
		b := must.Get(os.ReadFile(filepath.Join(path, name)))(t)
		m[name] = string(b)
	}
	b := must.Get(os.ReadFile(filepath.Join(path, "timing.jsonl")))(t)
	m["timings"] = string(rune('0' + bytes.Count(b, []byte("\n"))))
	left := must.Get(filepath.Glob(filepath.Join(path, ".*.aside")))(t)
	require.Empty(t, left)
	return m
}

var errDead = errors.New("dead")

// disk is a machine that stops at the n-th change and then loses everything that was not synced.
type disk struct {
	left    int     // changes until it stops
	part    float64 // of the last write gets through
	all     bool    // forget renames and new files of unsynced folders, too
	synced  map[string]int64
	renames []rename
}

// rename is a rename whose folder is not synced yet; old is the previous content, or nil.
type rename struct {
	path string
	old  []byte
}

func (d *disk) hook(op fsx.Op) error {
	d.left--
	if d.left < 0 {
		if d.left == -1 && op.Do == fsx.Write {
			return &fsx.Short{N: int(d.part * float64(op.Bytes)), Err: errDead}
		}
		return errDead
	}
	switch op.Do {
	case fsx.Write, fsx.Truncate:
		if _, known := d.synced[op.Path]; !known {
			info, err := os.Stat(op.Path)
			if err == nil {
				d.synced[op.Path] = info.Size()
			}
		}
	case fsx.Sync:
		delete(d.synced, op.Path)
	case fsx.Rename:
		old, err := os.ReadFile(op.Path)
		if err != nil {
			old = nil
		}
		d.renames = append(d.renames, rename{op.Path, old})
	case fsx.SyncDir:
		d.renames = nil
	}
	return nil
}

// forget removes what a power cut would lose.
func (d *disk) forget(t require.TestingT) {
	for path, size := range d.synced {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			require.NoError(t, os.Truncate(path, size))
		}
	}
	if !d.all {
		return
	}
	for i := len(d.renames) - 1; i >= 0; i-- {
		r := d.renames[i]
		require.NoError(t, os.RemoveAll(r.path)) // the file itself may have another name
		if r.old != nil {
			require.NoError(t, os.WriteFile(r.path, r.old, 0o666))
		}
	}
}

func TestKilledAnywhere(t *testing.T) {
	short, long := config(t, "epochs=2", "select=best"), config(t, "epochs=3", "select=best")
	reference := t.TempDir()
	require.NoError(t, train(reference, short))
	require.NoError(t, train(reference, long))
	want := contents(t, runs.Folder(reference, &short))
	wantLong := contents(t, runs.Folder(reference, &long))

	kinds := []struct {
		name string
		part float64
		cut  bool
		all  bool
	}{
		{"killed", 0.5, false, false},
		{"power cut", 1, true, false},
		{"power cut, renames lost", 0, true, true},
	}
	for i, c := range kinds {
		t.Run(c.name, func(t *testing.T) {
			first, every := i, len(kinds) // each change dies in one way, and in all of them where there is time
			if os.Getenv("EXP_CI") == "1" {
				first, every = 0, 1
			}
			for n := first; ; n += every {
				dir, remove := memory(t)
				defer remove()
				d := &disk{left: n, part: c.part, all: c.all, synced: map[string]int64{}}
				restore := fsx.Inject(d.hook)
				err := train(dir, short)
				if err == nil {
					err = train(dir, long)
				}
				restore()
				if err == nil && d.left >= 0 {
					t.Logf("%d changes of a run and its extension", n)
					require.Greater(t, n, 50)
					return
				}
				if c.cut {
					d.forget(t)
				}
				list := must.Get(runs.List(dir))(t)
				for _, r := range list {
					require.NotEqual(t, runs.Damaged, r.Status.State, r.Status.Message)
				}
				require.NoError(t, train(dir, short), "after %d changes", n)
				require.NoError(t, train(dir, long), "after %d changes", n)
				require.Equal(t, want, contents(t, runs.Folder(dir, &short)), "after %d changes", n)
				require.Equal(t, wantLong, contents(t, runs.Folder(dir, &long)), "after %d changes", n)
			}
		})
	}
}

// A single failing change, such as a disk that is briefly full, is an error of the run. The run can
// be resumed later with the same result.
func TestFullDisk(t *testing.T) {
	c := config(t)
	reference := t.TempDir()
	require.NoError(t, train(reference, c))
	want := contents(t, runs.Folder(reference, &c))
	for n := 0; ; n++ {
		dir, remove := memory(t)
		defer remove()
		left, hit := n, ""
		restore := fsx.Inject(func(op fsx.Op) error {
			left--
			if left != -1 || op.Do == fsx.Remove || op.Do == fsx.Link { // without links files are copied
				return nil
			}
			hit = string(op.Do) + " " + filepath.Base(op.Path)
			return &fsx.Short{N: op.Bytes / 2, Err: syscall.ENOSPC}
		})
		err := train(dir, c)
		restore()
		if left >= 0 {
			require.NoError(t, err)
			return
		}
		if hit != "" {
			require.ErrorIs(t, err, syscall.ENOSPC, hit)
		}
		require.NoError(t, train(dir, c), hit)
		require.Equal(t, want, contents(t, runs.Folder(dir, &c)), hit)
	}
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
