package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// LinkFile makes to another name of the file from, in place of what had that
// name before. It copies nothing where the file system has hard links, and the
// file where it has none. The name lasts once the folder is synced, which the
// next WriteFile there does. Without a file from, to stays as it is and the
// error wraps fs.ErrNotExist.
func LinkFile(from, to string) error {
	file, err := os.Stat(from)
	if err != nil {
		return err
	}
	// To rename one name of a file to another of the same file does nothing, by
	// POSIX: the name aside would stay.
	if there, err := os.Stat(to); err == nil && os.SameFile(file, there) {
		return nil
	}
	aside, err := linkAside(from, to)
	if err != nil {
		return CopyFile(from, to)
	}
	if err := rename(aside, to); err != nil {
		return errors.Join(err, RemoveFile(aside))
	}
	return nil
}

// linkAside gives the file a second name, from which it can take that of path.
func linkAside(from, path string) (string, error) {
	for {
		aside := asideName(path)
		err := before(Link, path, 0)
		if err == nil {
			err = os.Link(from, aside)
		}
		if !errors.Is(err, fs.ErrExist) {
			return aside, err
		}
	}
}

// CopyFile makes to a copy of the file from, with its permissions, whole or not at
// all.
func CopyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return writeFile(to, info.Mode().Perm(), func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
