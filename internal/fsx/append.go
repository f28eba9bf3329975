package fsx

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Appender adds to the end of a file whose length is known at any time.
type Appender struct {
	f      file
	length int64
}

// Append opens a file of the folder for appending after its first length bytes and cuts
// off what follows them. It makes the file when it does not exist and length is 0; a file
// that is shorter than length is an error.
func (d Dir) Append(name string, length int64) (a *Appender, err error) {
	err = d.do("open", name, func(r *os.Root) error {
		flag := os.O_WRONLY
		_, missing := r.Lstat(name)
		if missing != nil && length == 0 {
			flag |= os.O_CREATE
		}
		f, err := d.openIn(r, name, flag)
		if err != nil {
			return err
		}
		if err = cut(f, length); err == nil && missing != nil {
			err = syncFolder(r, d.Path())
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		a = &Appender{f: f, length: length}
		return nil
	})
	return a, err
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
