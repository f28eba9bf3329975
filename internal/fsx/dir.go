package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Dir is the path of a folder where exp keeps files, such as a run, the store or a
// cache. Each method opens the folder with os.Root, so links cannot lead out of it, and
// opens regular files only. The functions of this package that take a path are for files
// named by the user, which may be links.
//
// A Dir holds nothing open, because thousands of runs are listed at a time.
type Dir struct {
	base  string
	below []string
}

// In returns the folder below base, one name a level. Base may be a link, because people
// put large folders on other disks; the levels below it may not.
func In(base string, below ...string) Dir { return Dir{filepath.Clean(base), below} }

// Sub returns a folder in d.
func (d Dir) Sub(name string) Dir { return Dir{d.base, append(slices.Clone(d.below), name)} }

// Path returns the path of d, or of a file in it.
func (d Dir) Path(name ...string) string {
	return filepath.Join(d.base, filepath.Join(d.below...), filepath.Join(name...))
}

// up returns the folder that holds d, and the name of d in it.
func (d Dir) up() (Dir, string) {
	if n := len(d.below); n > 0 {
		return Dir{d.base, d.below[:n-1]}, d.below[n-1]
	}
	return split(d.base)
}

func split(path string) (Dir, string) { return In(filepath.Dir(path)), filepath.Base(path) }

// KindError is the error for a path of the wrong kind: a link, FIFO, device or folder
// instead of a regular file, or something else instead of a folder.
type KindError struct {
	Path string
	Mode fs.FileMode // the kind found at Path
	Want string      // regular file or folder
}

// The values of KindError.Want.
const (
	regularFile = "regular file"
	folder      = "folder"
)

func (e *KindError) Error() string {
	kind, known := map[fs.FileMode]string{0: regularFile, fs.ModeSymlink: "symbolic link", fs.ModeDir: folder, fs.ModeNamedPipe: "FIFO"}[e.Mode.Type()]
	if !known {
		kind = "special file" // such as a device, or a junction of Windows
	}
	return fmt.Sprintf("%s is a %s, not a %s; put a %[3]s in its place", e.Path, kind, e.Want)
}

func (d Dir) open() (*os.Root, error) {
	r, err := os.OpenRoot(d.base)
	if err != nil || len(d.below) == 0 {
		return r, err
	}
	defer r.Close()
	for i := range d.below {
		at := Dir{d.base, d.below[:i+1]}
		info, err := r.Lstat(filepath.Join(at.below...))
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return nil, &KindError{at.Path(), info.Mode(), folder}
		}
	}
	sub, err := r.OpenRoot(filepath.Join(d.below...))
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		p.Op, p.Path = "open", d.Path()
	}
	return sub, err
}

// do calls f with the folder open. The errors of os.Root have only the name of a file; do
// replaces it by the path.
func (d Dir) do(f func(r *os.Root) error) error {
	r, err := d.open()
	if err != nil {
		return err
	}
	defer r.Close()
	err = f(r)
	if p, ok := errors.AsType[*fs.PathError](err); ok && filepath.Base(p.Path) == p.Path {
		p.Op, p.Path = strings.TrimSuffix(p.Op, "at"), d.Path(p.Path)
	}
	return err
}

// Lstat describes a file of the folder. It does not follow a link.
func (d Dir) Lstat(name string) (info fs.FileInfo, err error) {
	err = d.do(func(r *os.Root) error {
		info, err = r.Lstat(name)
		return err
	})
	return info, err
}

// CheckRegular returns an error if any of the names exists as something other than a regular
// file. It lets a caller that changes several files fail before the first change.
func (d Dir) CheckRegular(names ...string) error {
	for _, name := range names {
		err := d.do(func(r *os.Root) error { return d.regular(r, name) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Entries lists the folder, sorted by name.
func (d Dir) Entries() (list []fs.DirEntry, err error) {
	err = d.do(func(r *os.Root) error {
		list, err = fs.ReadDir(r.FS(), ".")
		return err
	})
	return list, err
}

// Make makes the folder and the missing ones above it. They survive a power cut.
func (d Dir) Make() error {
	there := func(*os.Root) error { return nil }
	if err := d.do(there); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	up, name := d.up()
	if err := up.Make(); err != nil {
		return err
	}
	err := up.do(func(r *os.Root) error {
		if err := before(Mkdir, d.Path(), 0); err != nil {
			return err
		}
		// Another process may have created it since the check above.
		if err := r.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return sync(r, up.Path())
	})
	if err != nil {
		return err
	}
	return d.do(there)
}

// sync makes new and renamed files in the folder survive a power cut. Windows and some file
// systems (network ones, FUSE) cannot sync a folder.
func sync(r *os.Root, path string) error {
	if err := before(SyncDir, path, 0); err != nil || runtime.GOOS == "windows" {
		return err
	}
	f, err := r.Open(".")
	if err != nil {
		return err
	}
	err = flush(f)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Rename renames a regular file of the folder, or of a folder in it, and replaces the file
// that had the new name. The change survives a power cut.
func (d Dir) Rename(from, to string) error {
	return d.do(func(r *os.Root) error {
		if err := d.regular(r, from); err != nil {
			return err
		}
		if err := d.rename(r, from, to); err != nil {
			return err
		}
		return sync(r, d.Path())
	})
}

func (d Dir) rename(r *os.Root, from, to string) error {
	if err := before(Rename, d.Path(to), 0); err != nil {
		return err
	}
	err := r.Rename(from, to)
	for try := 0; err != nil && runtime.GOOS == "windows" && try < 50; try++ { // a virus scanner may be reading it
		time.Sleep(20 * time.Millisecond)
		err = r.Rename(from, to)
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		l.Op, l.Old, l.New = "rename", d.Path(from), d.Path(to)
	}
	return err
}

// Remove removes files of the folder in turn. It removes a link, not its target. A file that does
// not exist is no error.
func (d Dir) Remove(names ...string) error {
	for _, name := range names {
		err := d.do(func(r *os.Root) error {
			if err := before(Remove, d.Path(name), 0); err != nil {
				return err
			}
			return r.Remove(name)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// RemoveAll removes d, a folder or a file, with everything in it. It follows no links.
func (d Dir) RemoveAll() error {
	up, name := d.up()
	return up.do(func(r *os.Root) error { return r.RemoveAll(name) })
}

// RemoveEmpty removes the folder, which must be empty.
func (d Dir) RemoveEmpty() error {
	up, name := d.up()
	return up.do(func(r *os.Root) error {
		info, err := r.Lstat(name)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &KindError{d.Path(), info.Mode(), folder}
		}
		return r.Remove(name)
	})
}
