package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Lock is a file that one process has locked. The system unlocks it when the process ends,
// however it ends, so a lock is never stale.
type Lock struct {
	f    *flock.Flock
	dir  Dir
	name string
}

// HeldError is the error for a lock that another process holds. PID is 0 if it is unknown.
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

// ErrNoLocks is the error of CheckLocks on a file system whose locks keep no one out.
var ErrNoLocks = errors.New("a locked file can be locked again, so two processes could write the same run")

// CheckLocks checks that a lock excludes others until it is released.
func CheckLocks(acquire func(name string) (*Lock, error)) error {
	const name = "lock"
	first, err := acquire(name)
	if err != nil {
		return err
	}
	second, err := acquire(name)
	if _, held := errors.AsType[*HeldError](err); held {
		err = nil
	} else if err == nil {
		err = errors.Join(ErrNoLocks, second.Release())
	}
	return errors.Join(err, first.Release())
}

// Acquire takes the lock of that name in the folder, or returns a HeldError. The file stays
// after Release: if it were removed, two processes could lock two files of the same name.
// Lock.Remove removes it while it is held; a process that waits for it then locks the next
// file of that name.
func (d Dir) Acquire(name string) (*Lock, error) {
	for {
		if err := d.makeLock(name); err != nil {
			return nil, err
		}
		l := &Lock{flock.New(d.Path(name), flock.SetFlag(os.O_RDONLY|nonblock)), d, name}
		held, err := l.lock()
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed by its holder
			continue
		case err != nil:
			return nil, fmt.Errorf("cannot lock %s: %w (the file system may have no locks: choose a folder on another one)", d.Path(name), err)
		case held:
			h, _ := d.readLock(name)
			return nil, h
		}
		locked, err1 := l.f.Stat()
		current, err2 := d.Lstat(name)
		err = errors.Join(err1, err2)
		removed := errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(locked, current) // by its holder
		if err == nil && !removed {
			if err = l.sign(); err == nil {
				return l, nil
			}
		}
		if err = errors.Join(err, l.f.Unlock()); !removed {
			return nil, err
		}
	}
}

// lock tries for a moment, because Holder locks the file briefly.
func (l *Lock) lock() (held bool, err error) {
	if err := before(TakeLock, l.f.Path(), 0); err != nil {
		return false, err
	}
	for try := 0; ; try++ {
		if free, err := l.f.TryLock(); free || err != nil || try == 10 {
			return !free && err == nil, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Holder returns the process that holds the named lock in the folder. It returns nil if the
// lock is free or does not exist.
func (d Dir) Holder(name string) *HeldError {
	h, _ := d.readLock(name)
	if h.PID == 0 {
		return nil // no one has signed it
	}
	f := flock.New(d.Path(name), flock.SetFlag(os.O_RDONLY|nonblock))
	free, err := f.TryRLock()
	if free {
		_ = f.Unlock() // its holder has died
	}
	if free || err != nil { // no locks here, or no permission
		return nil
	}
	return h
}

// Release unlocks the file.
func (l *Lock) Release() error {
	err := l.dir.do(func(r *os.Root) error {
		f, err := r.OpenFile(l.name, os.O_WRONLY|nonblock, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(1), f.Close())
	})
	return errors.Join(err, l.f.Unlock())
}

// Remove removes the file and unlocks it.
func (l *Lock) Remove() error {
	if runtime.GOOS == "windows" { // Windows cannot remove an open file
		return errors.Join(l.f.Unlock(), l.dir.Remove(l.name))
	}
	return errors.Join(l.dir.Remove(l.name), l.f.Unlock())
}

// makeLock makes the file unless it exists. Its first byte is "#". Windows locks that byte
// against reading, too; so the holder is written after it.
func (d Dir) makeLock(name string) error {
	f, err := d.openFile(name, os.O_WRONLY|create)
	if errors.Is(err, fs.ErrExist) {
		if err := d.CheckRegular(name); err != nil {
			return err
		}
		if _, ours := d.readLock(name); !ours {
			return errors.New(d.Path(name) + " is not a lock file: exp needs this name; rename your file")
		}
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("#"))
	return errors.Join(err, f.Close())
}

// readLock returns the process that signed the lock. ours is false if the file is not a lock.
func (d Dir) readLock(name string) (h *HeldError, ours bool) {
	h = &HeldError{Path: d.Path(name)}
	f, err := d.Open(name)
	if err != nil {
		return h, true // locking it reports the error
	}
	defer f.Close()
	var first [1]byte
	n, _ := f.ReadAt(first[:], 0)
	ours = n == 0 || first[0] == '#' || first[0] == 0 // 0 after a power cut
	var rest [300]byte                                // a host name has at most 253 characters
	n, _ = f.ReadAt(rest[:], 1)
	text := strings.Trim(string(rest[:n]), "\x00")
	if text == "" {
		return h, ours
	}
	read, _ := fmt.Sscanf(text, "%d %s\n", &h.PID, &h.Host)
	return h, ours && read > 0
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
