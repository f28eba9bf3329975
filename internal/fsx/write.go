package fsx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
)

// asideSuffix marks a file that is being written and has not got its name yet.
const asideSuffix = ".aside"

var asides atomic.Uint64

// WriteFile makes a file that a user has named hold what write writes, whole or not at
// all: it writes a file beside it, syncs that, gives it the name and syncs the folder. After
// an error path is as it was. A link of that name is replaced.
func WriteFile(path string, write func(io.Writer) error) error {
	d, name := split(path)
	d.removeLeft(name)
	return d.WriteFile(name, write)
}

// WriteFile makes a file of the folder hold what write writes, as the function does.
func (d Dir) WriteFile(name string, write func(io.Writer) error) error {
	return d.writeFile(name, 0, write)
}

// writeFile is WriteFile with permissions that the file has before it has its name; 0
// leaves them to the system.
func (d Dir) writeFile(name string, perm fs.FileMode, write func(io.Writer) error) error {
	return d.do("open", name, func(r *os.Root) (err error) {
		f, aside, err := d.createAside(r, name)
		defer func() {
			// Who reads an error knows the file by the name that it was to have.
			if e, is := errors.AsType[*fs.PathError](err); is && e.Path == d.Path(aside) {
				e.Path = d.Path(name)
			}
		}()
		if err != nil {
			return err
		}
		defer func() {
			if err != nil {
				_ = f.Close() // harmless when closed already
				_ = d.removeIn(r, aside)
			}
		}()
		defer d.claim(aside)()
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
		if err := d.rename(r, aside, name); err != nil {
			return err
		}
		return syncFolder(r, d.Path())
	})
}

func (d Dir) rename(r *os.Root, from, to string) error {
	err := before(Rename, d.Path(to), 0)
	if err == nil {
		err = replace(r, d.Path(), from, to)
	}
	if err == nil {
		return nil
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	return &os.LinkError{Op: "rename", Old: d.Path(from), New: d.Path(to), Err: err}
}

// WriteBytes makes path hold b, whole or not at all.
func WriteBytes(path string, b []byte) error {
	d, name := split(path)
	return d.WriteBytes(name, b)
}

// WriteBytes makes a file of the folder hold b, whole or not at all.
func (d Dir) WriteBytes(name string, b []byte) error {
	return d.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// createAside makes a new file. The process and a counter in its name keep processes and
// goroutines apart; a name left by a dead process of the same number is passed over.
func (d Dir) createAside(r *os.Root, name string) (f file, aside string, err error) {
	for {
		aside = asideName(name)
		if f, err = d.openIn(r, aside, os.O_WRONLY|os.O_CREATE); !errors.Is(err, fs.ErrExist) {
			return f, aside, err
		}
	}
}

func asideName(name string) string {
	return fmt.Sprintf(".%s.%d-%d%s", name, os.Getpid(), asides.Add(1), asideSuffix)
}

// IsAside tells the names of files that WriteFile is writing, or was when its
// process died.
func IsAside(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, asideSuffix)
}

// RemoveAsides removes what processes that died while writing left in the folder. Call
// it only while nothing else writes there.
func (d Dir) RemoveAsides() error {
	entries, err := d.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if IsAside(e.Name()) {
			if err := d.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveFile removes a file; one that does not exist is no error.
func RemoveFile(path string) error {
	d, name := split(path)
	return d.Remove(name)
}

// Remove removes a file of the folder, of a link the link; one that does not exist is no
// error.
func (d Dir) Remove(name string) error {
	err := d.do("remove", name, func(r *os.Root) error { return d.removeIn(r, name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d Dir) removeIn(r *os.Root, name string) error {
	err := before(Remove, d.Path(name), 0)
	if err == nil {
		err = r.Remove(name)
	}
	return d.named("remove", name, err)
}
