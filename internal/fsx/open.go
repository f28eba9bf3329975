package fsx

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a plain file that a user has named, which may be a link, for reading. Of a
// FIFO or a device it is an error at once: opening one waits, for ever if nobody writes.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: cause(err)}
	}
	if err := plain(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = plain(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func cause(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

func plain(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is not a file but a %s: nothing is read from it. Write what it holds to a plain file first", path, kindOf(info.Mode()))
}

// Open opens a plain file of the folder for reading.
func (d Dir) Open(name string) (*os.File, error) {
	f, err := d.openFile(name, os.O_RDONLY)
	return f.File, err
}

// openFile opens a plain file of the folder. With O_CREATE it makes one, which must not be
// there.
func (d Dir) openFile(name string, flag int) (f file, err error) {
	err = d.do("open", name, func(r *os.Root) (err error) {
		f, err = d.openIn(r, name, flag)
		return err
	})
	return f, err
}

func (d Dir) openIn(r *os.Root, name string, flag int) (file, error) {
	f, err := d.tryOpen(r, name, flag)
	return f, d.named("open", name, err)
}

func (d Dir) tryOpen(r *os.Root, name string, flag int) (f file, err error) {
	if flag != os.O_RDONLY {
		if err := before(Create, d.Path(name), 0); err != nil {
			return file{}, err
		}
	}
	f.path = d.Path(name)
	if flag&os.O_CREATE != 0 { // a link is there, too, by O_EXCL
		f.File, err = r.OpenFile(name, flag|os.O_EXCL, 0o666)
		return f, err
	}
	return d.openPlain(r, name, flag)
}

// openPlain opens what is there, if it is a plain file.
func (d Dir) openPlain(r *os.Root, name string, flag int) (f file, err error) {
	f.path = d.Path(name)
	for range 100 {
		info, err := r.Lstat(name)
		if err != nil {
			return file{}, err
		}
		if !info.Mode().IsRegular() {
			return file{}, &NotPlainError{f.path, info.Mode(), plainFile}
		}
		if f.File, err = r.OpenFile(name, flag|nonblock, 0); err != nil {
			return file{}, err
		}
		own, err := f.File.Stat()
		if err == nil && os.SameFile(info, own) {
			return f, nil
		}
		f.File.Close() // a writer has just given the name to a newer file, or somebody to a link
	}
	return file{}, errReplaced
}

// ReadFile reads a file that a user has named, of at most limit bytes; a larger one is an
// error, so that a wrong or damaged file never fills the memory.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(f, path, limit)
}

// ReadFile reads a file of at most limit bytes.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	return readAll(f, d.Path(name), limit)
}

func readAll(f *os.File, path string, limit int64) ([]byte, error) {
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
	if err == io.ErrUnexpectedEOF || err == io.EOF { // cut since Stat
		err = nil
	}
	return b[:n], err
}
