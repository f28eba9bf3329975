package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Dir is a folder of what this program keeps: of a run, the store, a cache. Its methods
// follow no links and open nothing but plain files, so that a folder which somebody else
// has made neither reads, nor writes, nor waits elsewhere. The functions of this package
// that take a path are for files that a user names, where links are as good as what they
// lead to.
//
// It is a name and holds nothing open. Every method walks to the folder by os.Root anew:
// a folder that is replaced by a link meanwhile is noticed, too.
type Dir struct {
	base  string
	below []string
}

// In returns the folder that lies below base, one name for each level. base may be a link,
// for people put large folders on other disks; the levels below it may not.
func In(base string, below ...string) Dir { return Dir{filepath.Clean(base), below} }

// Sub returns a folder in the folder.
func (d Dir) Sub(name string) Dir { return Dir{d.base, append(slices.Clone(d.below), name)} }

// Path returns the folder's path, or that of a file in it.
func (d Dir) Path(name ...string) string {
	return filepath.Join(d.base, filepath.Join(d.below...), filepath.Join(name...))
}

// NotPlainError is something that is no plain file, or no folder, where one is kept.
type NotPlainError struct {
	Path string
	Mode fs.FileMode // what it is
	Want string      // plain file or folder
}

func (e *NotPlainError) Error() string {
	remedy := "Remove it, or put the file itself there"
	if e.Want == folder {
		remedy = "Name the folder itself, or put it there"
	}
	return fmt.Sprintf("%s is a %s and not a %s: nothing is read or written through it. %s", e.Path, kindOf(e.Mode), e.Want, remedy)
}

// What a NotPlainError wants.
const (
	plainFile = "plain file"
	folder    = "folder"
)

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m.IsDir():
		return folder
	case m&fs.ModeNamedPipe != 0:
		return "FIFO"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	case m.IsRegular():
		return plainFile
	}
	return "link or special file" // such as a junction of Windows
}

// open opens the folder. Errors but NotPlainError still want their path, see named.
func (d Dir) open() (*os.Root, error) {
	r, err := os.OpenRoot(d.base)
	for i := 0; i < len(d.below) && err == nil; i++ {
		var next *os.Root
		next, err = openFolder(r, d.below[i], Dir{d.base, d.below[:i+1]}.Path())
		_ = r.Close() // read only
		r = next
	}
	return r, err
}

// openFolder opens a folder in a folder, which os.Root would do through links, too, as
// long as they stay inside.
func openFolder(in *os.Root, name, path string) (*os.Root, error) {
	info, err := in.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return nil, syscall.ENOTDIR
	case !info.IsDir():
		return nil, &NotPlainError{path, info.Mode(), folder}
	}
	r, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if own, err := r.Stat("."); err != nil || !os.SameFile(info, own) {
		return nil, errors.Join(errReplaced, err, r.Close())
	}
	return r, nil
}

var errReplaced = errors.New("it was replaced while it was being opened: try again")

// named puts the path into an error of os.Root, which knows the name alone.
func (d Dir) named(op, name string, err error) error {
	if _, ok := errors.AsType[*NotPlainError](err); ok || err == nil {
		return err
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	return &fs.PathError{Op: op, Path: d.Path(name), Err: err}
}

// do calls f, which is to do op with a file of that name, with the folder open.
func (d Dir) do(op, name string, f func(r *os.Root) error) error {
	r, err := d.open()
	if err != nil {
		return d.named(op, name, err)
	}
	defer r.Close()
	return f(r)
}

// Lstat describes a file of the folder, a link as such.
func (d Dir) Lstat(name string) (info fs.FileInfo, err error) {
	err = d.do("lstat", name, func(r *os.Root) (err error) {
		info, err = r.Lstat(name)
		return d.named("lstat", name, err)
	})
	return info, err
}

// Plain reports as an error which of the names is there and no plain file, so that who is
// about to change several of them can refuse before the first.
func (d Dir) Plain(names ...string) error {
	for _, name := range names {
		info, err := d.Lstat(name)
		if err == nil && !info.Mode().IsRegular() {
			return &NotPlainError{d.Path(name), info.Mode(), plainFile}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Rename gives a plain file of the folder, or of a folder in it, the name to in the folder,
// in place of what had that name before, which of a link is the link. It lasts.
func (d Dir) Rename(from, to string) error {
	return d.do("rename", from, func(r *os.Root) error {
		if below := filepath.Dir(from); below != "." {
			sub, err := openFolder(r, below, d.Path(below))
			if err != nil {
				return d.named("rename", below, err)
			}
			defer sub.Close()
		}
		info, err := r.Lstat(from)
		if err == nil && !info.Mode().IsRegular() {
			err = &NotPlainError{d.Path(from), info.Mode(), plainFile}
		}
		if err != nil {
			return d.named("rename", from, err)
		}
		if err := d.rename(r, from, to); err != nil {
			return err
		}
		return syncFolder(r, d.Path())
	})
}

// Touch sets a plain file's time of change to now.
func (d Dir) Touch(name string) error {
	return d.do("chtimes", name, func(r *os.Root) error {
		now := time.Now()
		return d.named("chtimes", name, r.Chtimes(name, now, now))
	})
}

// Entries lists the folder by name.
func (d Dir) Entries() (list []fs.DirEntry, err error) {
	err = d.do("open", "", func(r *os.Root) error {
		f, err := r.Open(".")
		if err != nil {
			return d.named("open", "", err)
		}
		defer f.Close()
		list, err = f.ReadDir(-1)
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return err
	})
	return list, err
}

// Make makes the folder and those above it that are missing, and sees to it that they
// last.
func (d Dir) Make() error {
	if r, err := d.open(); err == nil {
		return r.Close()
	}
	if len(d.below) == 0 {
		return MkdirAll(d.base)
	}
	n := len(d.below) - 1
	parent, name := Dir{d.base, d.below[:n]}, d.below[n]
	if err := parent.Make(); err != nil {
		return err
	}
	return parent.do("mkdir", name, func(r *os.Root) error {
		info, err := r.Lstat(name)
		if err == nil && !info.IsDir() {
			return &NotPlainError{d.Path(), info.Mode(), folder}
		}
		if err == nil {
			return nil
		}
		if err = before(Mkdir, d.Path(), 0); err == nil {
			err = r.Mkdir(name, 0o777)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) { // another process may have made it meanwhile
			return parent.named("mkdir", name, err)
		}
		return syncFolder(r, parent.Path())
	})
}

// RemoveAll removes the folder, or the file of that name, with all that is in it. Links go
// and are not followed.
func (d Dir) RemoveAll() error {
	n := len(d.below) - 1
	parent, name := Dir{d.base, d.below[:n]}, d.below[n]
	return parent.do("remove", name, func(r *os.Root) error { return parent.named("remove", name, r.RemoveAll(name)) })
}

// RemoveEmpty removes the folder itself, which has to be empty.
func (d Dir) RemoveEmpty() error {
	n := len(d.below) - 1
	parent, name := Dir{d.base, d.below[:max(n, 0)]}, "."
	if n >= 0 {
		name = d.below[n]
	} else {
		parent, name = In(filepath.Dir(d.base)), filepath.Base(d.base)
	}
	return parent.do("remove", name, func(r *os.Root) error {
		info, err := r.Lstat(name)
		if err == nil && !info.IsDir() {
			err = &NotPlainError{d.Path(), info.Mode(), folder}
		}
		if err == nil {
			err = r.Remove(name)
		}
		return parent.named("remove", name, err)
	})
}

// split takes the path of a file whose folder the user has named.
func split(path string) (Dir, string) { return In(filepath.Dir(path)), filepath.Base(path) }
