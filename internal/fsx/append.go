package fsx

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Appender adds to the end of a file whose length is known at any time.
type Appender struct {
	f      file
	length int64
}

// Append opens path for appending after its first length bytes and cuts off
// what follows them. It makes the file when it does not exist and length is 0;
// a file that is shorter than length is an error.
func Append(path string, length int64) (*Appender, error) {
	_, statErr := os.Stat(path)
	flag := os.O_WRONLY
	if length == 0 {
		flag |= os.O_CREATE
	}
	f, err := openFile(path, flag)
	if err != nil {
		return nil, err
	}
	if err := cut(f, length); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if statErr != nil {
		if err := syncFolder(filepath.Dir(path)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &Appender{f: f, length: length}, nil
}

func cut(f file, length int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < length {
		return fmt.Errorf("%s is %d bytes long and should be at least %d: it was damaged or replaced", f.Name(), info.Size(), length)
	}
	if info.Size() > length {
		if err := f.Truncate(length); err != nil {
			return err
		}
	}
	_, err = f.Seek(length, io.SeekStart)
	return err
}

// Write appends b.
func (a *Appender) Write(b []byte) (int, error) {
	n, err := a.f.Write(b)
	a.length += int64(n)
	return n, err
}

// Len returns the length of the file in bytes.
func (a *Appender) Len() int64 { return a.length }

// Sync waits until the disk holds what was written.
func (a *Appender) Sync() error { return a.f.Sync() }

// Close closes the file, without syncing it.
func (a *Appender) Close() error { return a.f.Close() }
