package fsx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// asideSuffix marks a file that is being written and has not got its name yet.
const asideSuffix = ".aside"

var asides atomic.Uint64

// WriteFile makes path hold what write writes, whole or not at all: it writes a
// file beside it, syncs that, gives it the name and syncs the folder. After an
// error path is as it was.
func WriteFile(path string, write func(io.Writer) error) error { return writeFile(path, 0, write) }

// writeFile is WriteFile with permissions that the file has before it has its name; 0
// leaves them to the system.
func writeFile(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := createAside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // harmless when closed already
			_ = RemoveFile(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if perm != 0 {
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func rename(from, to string) error {
	if err := before(Rename, to, 0); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return replace(from, to)
}

// WriteBytes makes path hold b, whole or not at all.
func WriteBytes(path string, b []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// createAside makes a new file in the folder of path. The process and a counter
// in its name keep processes and goroutines apart; a name left by a dead process
// of the same number is passed over.
func createAside(path string) (file, error) {
	for {
		f, err := openFile(asideName(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func asideName(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, fmt.Sprintf(".%s.%d-%d%s", base, os.Getpid(), asides.Add(1), asideSuffix))
}

// IsAside tells the names of files that WriteFile is writing, or was when its
// process died.
func IsAside(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, asideSuffix)
}

// RemoveAsides removes what processes that died while writing left in dir. Call
// it only while nothing else writes there.
func RemoveAsides(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if IsAside(e.Name()) {
			if err := RemoveFile(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveFile removes a file; one that does not exist is no error.
func RemoveFile(path string) error {
	if err := before(Remove, path, 0); err != nil {
		return &os.PathError{Op: "remove", Path: path, Err: err}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
