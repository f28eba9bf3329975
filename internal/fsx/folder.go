package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MkdirAll makes a folder that the user has named and those above it that are missing, and sees to it
// that they last.
func MkdirAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := before(Mkdir, path, 0); err != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	// Another process may have made it meanwhile.
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	r, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(r, parent), r.Close())
}

func syncFolder(r *os.Root, path string) error {
	if err := before(SyncDir, path, 0); err != nil {
		return &fs.PathError{Op: "sync", Path: path, Err: err}
	}
	return syncDir(r)
}
