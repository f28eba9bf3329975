package fsx

import (
	"os"
	"regexp"
	"runtime"

	"github.com/gofrs/flock"
)

// claim shows other processes, as long as this one lives, that a file aside is being
// written. Where there are no locks it is in vain, and so is removeLeft. Windows removes no
// open file: there it takes no lock, which would keep the writer itself from writing.
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
	left := regexp.MustCompile(`^\.` + regexp.QuoteMeta(name) + `\.\d+-\d+` + regexp.QuoteMeta(asideSuffix) + `$`)
	entries, err := d.Entries()
	if err != nil {
		return // WriteFile says what is wrong
	}
	for _, e := range entries {
		if !left.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if runtime.GOOS == "windows" {
			_ = d.Remove(e.Name())
			continue
		}
		f := flock.New(d.Path(e.Name()), flock.SetFlag(os.O_RDONLY|nonblock))
		if free, err := f.TryLock(); err == nil && free {
			_ = d.Remove(e.Name())
			_ = f.Unlock()
		}
	}
}
