package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"syscall"

	"imdbexp/internal/fsx"
)

// Lock locks the data folder, for a change of what is installed. It makes the folder if it
// does not exist.
func Lock(dir string) (unlock func(), err error) {
	if err := fsx.In(dir).Make(); err != nil {
		return nil, lockRemedy(dir, err)
	}
	lock, err := fsx.In(dir).Acquire("lock")
	if err != nil {
		if held := new(fsx.HeldError); errors.As(err, &held) {
			return nil, fmt.Errorf("another process is adding or removing data (%w): wait for it to end", err)
		}
		return nil, lockRemedy(dir, err)
	}
	return func() { _ = lock.Release() }, nil
}

// incoming is the name of a folder for files that are being added: 16 random digits, so
// that no folder of the user has it.
var incoming = regexp.MustCompile(`^\.incoming-[0-9a-f]{16}$`)

// stage calls add with a new folder in the data folder, which is locked meanwhile. It
// removes that folder afterwards, and first those that killed processes left.
func stage(dir string, add func(incoming string) error) error {
	unlock, err := Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := fsx.In(dir).Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if incoming.MatchString(e.Name()) {
			if err := fsx.In(dir, e.Name()).RemoveAll(); err != nil {
				return err
			}
		}
	}
	stage := fsx.In(dir, fmt.Sprintf(".incoming-%016x", rand.Uint64()))
	defer stage.RemoveAll()
	if err = stage.Make(); err == nil {
		err = add(stage.Path())
	}
	return withRemedy(dir, err)
}

const elsewhere = "choose another data folder by --data-dir or $EXP_DATA"

// withRemedy adds to an error what to do about a full or read-only disk.
func withRemedy(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: make room on the disk of %s, or %s", err, dir, elsewhere)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %s", err, elsewhere)
	}
	return err
}

// lockRemedy is withRemedy for the first file that is written, which may be forbidden.
func lockRemedy(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) { // it cannot be made, as below /proc
		return fmt.Errorf("%w: %s", err, elsewhere)
	}
	return withRemedy(dir, err)
}
