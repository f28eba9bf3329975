// Package fsx opens and changes the files of this project. It writes files whole or not at
// all, appends to files, takes locks that name their holder, and opens folders (Dir) that
// links cannot escape. Every change passes through one hook (Inject). Tests use it to fill
// the disk, cut a write short or stop the process at a chosen moment.
package fsx

import (
	"errors"
	"os"
	"sync/atomic"
)

// Kind is a kind of change to the file system.
type Kind string

// The kinds of changes.
const (
	Mkdir    Kind = "mkdir"
	Create   Kind = "create" // or open for writing
	Write    Kind = "write"
	Truncate Kind = "truncate"
	Sync     Kind = "sync" // of a file
	Link     Kind = "link" // a second name for a file
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	SyncDir  Kind = "sync folder"
	TakeLock Kind = "lock"
)

// Op is a change that is about to happen.
type Op struct {
	Do    Kind
	Path  string // the new name for Link and Rename
	Bytes int    // length of a Write
}

// Hook is called before each change. The change fails with the error that it returns.
type Hook func(Op) error

// Short is the error of a Hook that lets the first N bytes of a Write through.
type Short struct {
	N   int
	Err error
}

func (s *Short) Error() string { return s.Err.Error() }

// Unwrap returns Err.
func (s *Short) Unwrap() error { return s.Err }

var hook atomic.Pointer[Hook]

// Inject calls h before every change of this process, until restore is called. It is for
// tests.
func Inject(h Hook) (restore func()) {
	old := hook.Swap(&h)
	return func() { hook.Store(old) }
}

func before(do Kind, path string, bytes int) error {
	if h := hook.Load(); h != nil {
		if err := (*h)(Op{do, path, bytes}); err != nil {
			return &os.PathError{Op: string(do), Path: path, Err: err}
		}
	}
	return nil
}

// Unsynced leaves written files to the system, which may lose them in a power cut. It is for tests,
// which cannot cut the power: syncing would be half of the time that they spend in the system.
var Unsynced bool

func flush(f *os.File) error {
	if Unsynced {
		return nil
	}
	return f.Sync()
}

// file is an os.File whose changes pass through the hook.
type file struct{ *os.File }

func (f file) Write(b []byte) (n int, err error) {
	if err := before(Write, f.Name(), len(b)); err != nil {
		if s, ok := errors.AsType[*Short](err); ok {
			n, _ = f.File.Write(b[:min(s.N, len(b))])
		}
		return n, err
	}
	return f.File.Write(b)
}

func (f file) Sync() error {
	if err := before(Sync, f.Name(), 0); err != nil {
		return err
	}
	return flush(f.File)
}

func (f file) Truncate(size int64) error {
	if err := before(Truncate, f.Name(), 0); err != nil {
		return err
	}
	return f.File.Truncate(size)
}
