// Package fsx holds the few ways in which this project opens and changes files: a file
// written whole or not at all, a file appended to at a known length, a lock that
// names its holder; in folders of this program's own (Dir) without following links. All
// changes pass through one seam, Inject, by which tests make a disk full, a write short
// or a process dead at a chosen moment.
package fsx

import (
	"errors"
	"os"
	"sync/atomic"
)

// Kind is one kind of change to the file system.
type Kind string

// The kinds of changes, in the order in which a file lives through them.
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

// Op is one change about to happen.
type Op struct {
	Do    Kind
	Path  string // for Link and Rename the new name
	Bytes int    // for Write how many
}

// Hook sees a change before it happens. An error it returns takes the place of
// the change.
type Hook func(Op) error

// Short is what a Hook returns to let the first N bytes of a Write through.
type Short struct {
	N   int
	Err error
}

func (s *Short) Error() string { return s.Err.Error() }

// Unwrap returns the error that follows the bytes let through.
func (s *Short) Unwrap() error { return s.Err }

var hook atomic.Pointer[Hook]

// Inject passes every change made by this package through h until restore is
// called. It is for tests, and holds for the whole process.
func Inject(h Hook) (restore func()) {
	old := hook.Swap(&h)
	return func() { hook.Store(old) }
}

func before(do Kind, path string, bytes int) error {
	if h := hook.Load(); h != nil {
		return (*h)(Op{Do: do, Path: path, Bytes: bytes})
	}
	return nil
}

// file is an os.File whose changes pass through the seam.
type file struct {
	*os.File
	path string
}

// Name returns the path as the folder's name and the file's give it.
func (f file) Name() string { return f.path }

func (f file) Write(b []byte) (int, error) {
	err := before(Write, f.Name(), len(b))
	if err == nil {
		return f.File.Write(b)
	}
	n := 0
	if s, ok := errors.AsType[*Short](err); ok {
		n, _ = f.File.Write(b[:min(s.N, len(b))])
	}
	return n, &os.PathError{Op: "write", Path: f.Name(), Err: err}
}

func (f file) Sync() error {
	if err := before(Sync, f.Name(), 0); err != nil {
		return &os.PathError{Op: "sync", Path: f.Name(), Err: err}
	}
	return f.File.Sync()
}

func (f file) Truncate(size int64) error {
	if err := before(Truncate, f.Name(), 0); err != nil {
		return &os.PathError{Op: "truncate", Path: f.Name(), Err: err}
	}
	return f.File.Truncate(size)
}
