package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Lock is a file that one process holds. The system lets go of it when the
// process ends in whatever way, so that a lock is never stale.
type Lock struct{ f *flock.Flock }

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

// Acquire takes the lock at once, or nearly so, or returns a HeldError. The file stays where
// it is after Release: removing it would let two processes lock two files of
// the same name. Who removes it all the same does so while holding it; then
// whoever was about to take it takes the next one instead.
func Acquire(path string) (*Lock, error) {
	for {
		if err := touch(path); err != nil {
			return nil, err
		}
		l := &Lock{flock.New(path)}
		ok, err := l.takeSoon()
		switch {
		case err != nil:
			return nil, fmt.Errorf("cannot lock %s: %w (does its file system have locks? Choose a folder on another one)", path, err)
		case !ok:
			return nil, heldBy(path)
		case !l.current():
			if err := l.f.Unlock(); err != nil {
				return nil, err
			}
			continue
		}
		if err := l.sign(); err != nil {
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
	there, err2 := os.Stat(l.f.Path())
	return err1 == nil && err2 == nil && os.SameFile(own, there)
}

// Holder says who holds the lock: nil for nobody, also where there is no such
// file. It changes nothing.
func Holder(path string) *HeldError {
	info, err := os.Stat(path)
	if err != nil || info.Size() <= 1 {
		return nil // not signed, hence not held
	}
	f := flock.New(path, flock.SetFlag(os.O_RDONLY))
	ok, err := f.TryRLock()
	if ok {
		_ = f.Unlock() // signed by a process that has died
		return nil
	}
	if err != nil { // no locks here, or no permission
		return nil
	}
	return heldBy(path)
}

// Release lets go of the lock.
func (l *Lock) Release() error {
	return errors.Join(os.Truncate(l.f.Path(), 1), l.f.Unlock())
}

// Remove removes the file and lets go of the lock.
func (l *Lock) Remove() error {
	if runtime.GOOS == "windows" { // which removes no open file
		return errors.Join(l.f.Unlock(), RemoveFile(l.f.Path()))
	}
	return errors.Join(RemoveFile(l.f.Path()), l.f.Unlock())
}

// touch makes the file with its first byte. Windows locks that byte against
// reading too, so the holder is written after it.
func touch(path string) error {
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("#"))
	return errors.Join(err, f.Close())
}

func (l *Lock) sign() error {
	f, err := openFile(l.f.Path(), os.O_WRONLY)
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

func heldBy(path string) *HeldError {
	held := &HeldError{Path: path}
	f, err := os.Open(path)
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
