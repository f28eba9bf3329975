package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Link makes to another name of the file from, in place of what had that name before. It
// copies nothing where the file system has hard links, and the file where it has none. The
// name lasts once the folder is synced, which the next WriteFile there does. Without a file
// from, to stays as it is and the error wraps fs.ErrNotExist.
func (d Dir) Link(from, to string) error {
	return d.do("link", from, func(r *os.Root) error {
		info, err := r.Lstat(from)
		if err == nil && !info.Mode().IsRegular() {
			err = &NotPlainError{d.Path(from), info.Mode(), plainFile}
		}
		if err != nil {
			return d.named("link", from, err)
		}
		// To rename one name of a file to another of the same file does nothing, by
		// POSIX: the name aside would stay.
		if there, err := r.Lstat(to); err == nil && os.SameFile(info, there) {
			return nil
		}
		aside, err := d.linkAside(r, from, to)
		if err != nil {
			return d.copy(from, to)
		}
		if err := d.rename(r, aside, to); err != nil {
			return errors.Join(err, d.removeIn(r, aside))
		}
		return nil
	})
}

// linkAside gives the file a second name, from which it can take that of to.
func (d Dir) linkAside(r *os.Root, from, to string) (string, error) {
	for {
		aside := asideName(to)
		err := before(Link, d.Path(to), 0)
		if err == nil {
			err = r.Link(from, aside)
		}
		if !errors.Is(err, fs.ErrExist) {
			return aside, err
		}
	}
}

func (d Dir) copy(from, to string) error {
	f, err := d.Open(from)
	if err != nil {
		return err
	}
	return d.copyOf(f, to)
}

// CopyFile makes to a copy of the file from, with its permissions, whole or not at all.
// The user has named both.
func CopyFile(from, to string) error {
	f, err := Open(from)
	if err != nil {
		return err
	}
	d, name := split(to)
	return d.copyOf(f, name)
}

// copyOf makes a file of the folder a copy of f, which it closes.
func (d Dir) copyOf(f *os.File, to string) error {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return d.writeFile(to, info.Mode().Perm(), func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
