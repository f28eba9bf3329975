package fsx

import (
	"os"
	"regexp"
	"runtime"
	"strconv"

	"github.com/gofrs/flock"
)

// claim shows other processes, as long as this one lives, that a file aside is being
// written. Where there are no locks it is in vain, and so is removeLeft. On Windows a lock
// would keep the writer itself from writing: there the number of the process in the name tells.
func (d Dir) claim(aside string) (release func()) {
	if runtime.GOOS == "windows" {
		return func() {}
	}
	f := flock.New(d.Path(aside), flock.SetFlag(os.O_RDONLY|nonblock))
	_, _ = f.TryRLock()
	return func() { _ = f.Unlock() }
}

// removeLeft removes what processes that died while writing a file of this name left
// beside it. What still is written stays.
func (d Dir) removeLeft(name string) {
	left := regexp.MustCompile(`^\.` + regexp.QuoteMeta(name) + `\.(\d+)-\d+` + regexp.QuoteMeta(asideSuffix) + `$`)
	entries, err := d.Entries()
	if err != nil {
		return // WriteFile says what is wrong
	}
	for _, e := range entries {
		m := left.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		if runtime.GOOS == "windows" {
			if !running(m[1]) {
				_ = d.Remove(e.Name())
			}
			continue
		}
		f := flock.New(d.Path(e.Name()), flock.SetFlag(os.O_RDONLY|nonblock))
		if free, err := f.TryLock(); err == nil && free {
			_ = d.Remove(e.Name())
			_ = f.Unlock()
		}
	}
}

// running reports whether there is a process of that number, on Windows.
func running(number string) bool {
	pid, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	p, err := os.FindProcess(pid) // elsewhere it always finds one
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
