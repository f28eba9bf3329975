package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MkdirAll makes the folder and those above it that are missing, and sees to it
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
		return &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	// Another process may have made it meanwhile.
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

func syncFolder(path string) error {
	if err := before(SyncDir, path, 0); err != nil {
		return &os.PathError{Op: "sync", Path: path, Err: err}
	}
	return syncDir(path)
}
