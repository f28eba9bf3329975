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

// WriteFile replaces the content of path by the output of write, whole or not at all. It
// writes a temporary file in the same folder, syncs and renames it, and syncs the folder.
// After an error path is unchanged. If path is a link, the link is replaced.
func WriteFile(path string, write func(io.Writer) error) error {
	d, name := split(path)
	d.removeAbandoned(name)
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

// removeAbandoned removes the temporary files for name that killed processes left: those
// that have not changed for an hour.
func (d Dir) removeAbandoned(name string) {
	_ = d.removeTemps("."+name+".", time.Hour) // writing to the folder reports the error
}

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

// Scratch is a temporary file for writing and reading, which Close removes.
type Scratch struct{ *os.File }

// RemoveScratch removes the scratch files that killed processes left in the folder.
func (d Dir) RemoveScratch() { d.removeAbandoned("scratch") }

// Scratch creates a scratch file in the folder.
func (d Dir) Scratch() (*Scratch, error) {
	f, err := os.CreateTemp(d.Path(), ".scratch.*"+tempSuffix)
	return &Scratch{f}, err
}

// Close closes and removes the file.
func (s *Scratch) Close() error { return errors.Join(s.File.Close(), os.Remove(s.Name())) }
