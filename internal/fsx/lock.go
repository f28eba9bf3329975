package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Lock is a file that one process holds. The system lets go of it when the
// process ends in whatever way, so that a lock is never stale.
type Lock struct {
	f    *flock.Flock
	dir  Dir
	name string
}

// HeldError says who holds a lock. PID is 0 when that cannot be read.
type HeldError struct {
	Path string
	PID  int
	Host string
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return e.Path + " is held by another process"
	}
	return fmt.Sprintf("%s is held by process %d on %s", e.Path, e.PID, e.Host)
}

// Acquire takes a lock in the folder at once, or nearly so, or returns a HeldError. The file stays where
// it is after Release: removing it would let two processes lock two files of
// the same name. Who removes it all the same does so while holding it; then
// whoever was about to take it takes the next one instead.
func (d Dir) Acquire(name string) (*Lock, error) {
	for {
		if err := d.touch(name); err != nil {
			return nil, err
		}
		// Opened by its path: that it is the folder's own file is seen when it is locked,
		// before anything is written.
		l := &Lock{flock.New(d.Path(name), flock.SetFlag(os.O_RDONLY|nonblock)), d, name}
		ok, err := l.takeSoon()
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in this moment
			continue
		case err != nil:
			return nil, fmt.Errorf("cannot lock %s: %w (does its file system have locks? Choose a folder on another one)", l.f.Path(), err)
		case !ok:
			return nil, d.heldBy(name)
		case !l.current():
			if err := l.f.Unlock(); err != nil {
				return nil, err
			}
			continue
		}
		err = l.ours()
		if err == nil {
			err = l.sign()
		}
		if err != nil {
			return nil, errors.Join(err, l.f.Unlock())
		}
		return l, nil
	}
}

// A Holder that looks at a lock has it for a moment itself: Acquire tries again for
// this long before it believes that the lock is held.
const (
	looks      = 50 * time.Millisecond
	betweenTry = 5 * time.Millisecond
)

func (l *Lock) takeSoon() (ok bool, err error) {
	for end := time.Now().Add(looks); ; time.Sleep(betweenTry) {
		if ok, err = l.take(); ok || err != nil || time.Now().After(end) {
			return ok, err
		}
	}
}

func (l *Lock) take() (bool, error) {
	if err := before(TakeLock, l.f.Path(), 0); err != nil {
		return false, err
	}
	return l.f.TryLock()
}

// current reports whether the file that is locked still has its name.
func (l *Lock) current() bool {
	own, err1 := l.f.Stat()
	there, err2 := l.dir.Lstat(l.name)
	return err1 == nil && err2 == nil && os.SameFile(own, there)
}

// Holder says who holds a lock in the folder: nil for nobody, also where there is no such
// file. It changes nothing.
func (d Dir) Holder(name string) *HeldError {
	info, err := d.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() <= 1 {
		return nil // not signed, hence not held
	}
	f := flock.New(d.Path(name), flock.SetFlag(os.O_RDONLY|nonblock))
	ok, err := f.TryRLock()
	if ok {
		_ = f.Unlock() // signed by a process that has died
		return nil
	}
	if err != nil { // no locks here, or no permission
		return nil
	}
	return d.heldBy(name)
}

// Release lets go of the lock.
func (l *Lock) Release() error {
	err := l.dir.do("open", l.name, func(r *os.Root) error {
		f, err := l.dir.openPlain(r, l.name, os.O_WRONLY)
		if err != nil {
			return l.dir.named("open", l.name, err)
		}
		return errors.Join(f.File.Truncate(1), f.Close())
	})
	return errors.Join(err, l.f.Unlock())
}

// Remove removes the file and lets go of the lock.
func (l *Lock) Remove() error {
	if runtime.GOOS == "windows" { // which removes no open file
		return errors.Join(l.f.Unlock(), l.dir.Remove(l.name))
	}
	return errors.Join(l.dir.Remove(l.name), l.f.Unlock())
}

// touch makes the file with its first byte. Windows locks that byte against
// reading too, so the holder is written after it.
func (d Dir) touch(name string) error {
	f, err := d.openFile(name, os.O_WRONLY|os.O_CREATE)
	if errors.Is(err, fs.ErrExist) {
		info, err := d.Lstat(name)
		if err == nil && !info.Mode().IsRegular() {
			return &NotPlainError{d.Path(name), info.Mode(), plainFile}
		}
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("#"))
	return errors.Join(err, f.Close())
}

// signature is what a lock holds after its first byte, or a part of that.
var signature = regexp.MustCompile(`^(\d+( \S*\n?)?|\x00*)$`)

// ours checks that the file is one that a lock has made, before it is written to.
func (l *Lock) ours() error {
	f, err := l.dir.Open(l.name)
	if err != nil {
		return err
	}
	defer f.Close()
	var b [400]byte
	// The first byte cannot be read on Windows, and is 0 where a process died early.
	if n, _ := f.ReadAt(b[:1], 0); n == 1 && b[0] != '#' && b[0] != 0 {
		return &notLockError{l.f.Path()}
	}
	if n, _ := f.ReadAt(b[:], 1); !signature.Match(b[:n]) {
		return &notLockError{l.f.Path()}
	}
	return nil
}

type notLockError struct{ path string }

func (e *notLockError) Error() string {
	return e.path + " is no lock of this program, which needs the name: it stays as it is. Give it another name"
}

func (l *Lock) sign() error {
	f, err := l.dir.openFile(l.name, os.O_WRONLY)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	if err = f.Truncate(1); err == nil {
		if _, err = f.Seek(1, io.SeekStart); err == nil {
			_, err = fmt.Fprintf(f, "%d %s\n", os.Getpid(), host)
		}
	}
	return errors.Join(err, f.Close())
}

func (d Dir) heldBy(name string) *HeldError {
	held := &HeldError{Path: d.Path(name)}
	f, err := d.Open(name)
	if err != nil {
		return held
	}
	defer f.Close()
	var b [300]byte // a host name has at most 253 characters
	n, _ := f.ReadAt(b[:], 1)
	pid, host, _ := strings.Cut(strings.TrimSpace(string(b[:n])), " ")
	if held.PID, err = strconv.Atoi(pid); err == nil {
		held.Host = host
	}
	return held
}
