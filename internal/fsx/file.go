package fsx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// Open opens a regular file that the user names, which may be a link, for reading. A FIFO
// or a device is an error at once: reading it could wait forever.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &KindError{path, info.Mode(), regularFile}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Open opens a regular file of the folder for reading.
func (d Dir) Open(name string) (*os.File, error) {
	f, err := d.openFile(name, os.O_RDONLY)
	return f.File, err
}

// create is for openFile: the file must not exist.
const create = os.O_CREATE | os.O_EXCL

func (d Dir) openFile(name string, flag int) (f file, err error) {
	err = d.do(func(r *os.Root) error {
		if flag&create == 0 {
			if err := d.regular(r, name); err != nil {
				return err
			}
		}
		if flag != os.O_RDONLY {
			if err := before(Create, d.Path(name), 0); err != nil {
				return err
			}
		}
		f.File, err = r.OpenFile(name, flag|nonblock, 0o666)
		return err
	})
	return f, err
}

func (d Dir) regular(r *os.Root, name string) error {
	info, err := r.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &KindError{d.Path(name), info.Mode(), regularFile}
	}
	return err
}

// ReadFile reads a file that the user names. It returns an error for more than limit bytes,
// because a wrong or damaged file could exhaust memory.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	return readAll(f, err, path, limit)
}

// ReadFile reads a file of the folder, of at most limit bytes.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	return readAll(f, err, d.Path(name), limit)
}

func readAll(f *os.File, err error, path string, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is %d bytes long, more than the %d allowed here", path, info.Size(), limit)
	}
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // truncated since Stat
		err = nil
	}
	return b[:n], err
}

// Appender writes to the end of a file.
type Appender struct {
	f      file // not embedded: its other methods would write without counting
	length int64
}

// Append opens a file of the folder for appending after its first length bytes and
// truncates the rest. It creates the file if it does not exist and length is 0. A file
// shorter than length is an error.
func (d Dir) Append(name string, length int64) (*Appender, error) {
	_, err := d.Lstat(name)
	missing := errors.Is(err, fs.ErrNotExist)
	flag := os.O_WRONLY
	if missing && length == 0 {
		flag |= create
	}
	f, err := d.openFile(name, flag)
	if err != nil {
		return nil, err
	}
	if err = f.cut(length); err == nil && missing {
		err = d.do(func(r *os.Root) error { return sync(r, d.Path()) })
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Appender{f, length}, nil
}

func (f file) cut(length int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < length {
		return fmt.Errorf("%s is %d bytes long and must have at least %d: it was damaged or replaced", f.Name(), info.Size(), length)
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

// Sync flushes the written bytes to the disk.
func (a *Appender) Sync() error { return a.f.Sync() }

// Close closes the file without syncing it.
func (a *Appender) Close() error { return a.f.Close() }

// WriteFile replaces the content of path by the output of write, whole or not at all. It
// writes a temporary file in the same folder, syncs and renames it, and syncs the folder.
// After an error path is unchanged. If path is a link, the link is replaced.
func WriteFile(path string, write func(io.Writer) error) error {
	d, name := split(path)
	_ = d.removeTemps("."+name+".", time.Hour) // those of killed processes; writing to the folder reports the error
	return d.WriteFile(name, write)
}

// WriteBytes replaces the content of path by b, whole or not at all.
func WriteBytes(path string, b []byte) error {
	d, name := split(path)
	return d.WriteBytes(name, b)
}

// WriteBytes replaces the content of a file of the folder by b, whole or not at all.
func (d Dir) WriteBytes(name string, b []byte) error {
	return d.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// WriteFile replaces the content of a file of the folder by the output of write, whole or
// not at all.
func (d Dir) WriteFile(name string, write func(io.Writer) error) (err error) {
	temp := tempName(name)
	defer func() {
		// Errors name the file that the caller knows.
		if e, is := errors.AsType[*fs.PathError](err); is && e.Path == d.Path(temp) {
			e.Path = d.Path(name)
		}
	}()
	f, err := d.openFile(temp, os.O_WRONLY|create)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // harmless if closed already
			_ = d.Remove(temp)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return d.Rename(temp, name)
}

// Link makes to a second name of the file from, replacing any file of that name. On a file
// system without hard links it copies the file. The name survives a power cut once the
// folder is synced, which the next WriteFile does.
func (d Dir) Link(from, to string) error {
	noLinks := false
	err := d.do(func(r *os.Root) error {
		if err := d.regular(r, from); err != nil {
			return err
		}
		// POSIX renames nothing if both names are the same file: temp would stay.
		a, _ := r.Lstat(from)
		if b, err := r.Lstat(to); err == nil && os.SameFile(a, b) {
			return nil
		}
		temp := tempName(to)
		if before(Link, d.Path(to), 0) != nil || r.Link(from, temp) != nil {
			noLinks = true
			return nil
		}
		if err := d.rename(r, temp, to); err != nil {
			return errors.Join(err, d.Remove(temp))
		}
		return nil
	})
	if err != nil || !noLinks {
		return err
	}
	f, err := d.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return d.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

const tempSuffix = ".aside"

func tempName(name string) string { return fmt.Sprintf(".%s.%x%s", name, rand.Uint64(), tempSuffix) }

// IsTemp reports whether name is a temporary file of WriteFile.
func IsTemp(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, tempSuffix)
}

// RemoveTemps removes the temporary files that killed processes left in the folder. No other
// process may be writing there.
func (d Dir) RemoveTemps() error { return d.removeTemps(".", 0) }

func (d Dir) removeTemps(prefix string, age time.Duration) error {
	entries, err := d.Entries()
	for _, e := range entries {
		info, statErr := e.Info()
		if statErr != nil || !IsTemp(e.Name()) || !strings.HasPrefix(e.Name(), prefix) || age > 0 && time.Since(info.ModTime()) < age {
			continue
		}
		err = errors.Join(err, d.Remove(e.Name()))
	}
	return err
}
