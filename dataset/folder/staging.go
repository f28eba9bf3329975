package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"imdbexp/internal/fsx"
)

// Lock takes the data folder for one who changes what is installed; the folder
// is made if need be.
func Lock(dir string) (unlock func(), err error) {
	if err := fsx.MkdirAll(dir); err != nil {
		return nil, lockRemedy(dir, err)
	}
	lock, err := fsx.In(dir).Acquire("lock")
	if err != nil {
		if held := new(fsx.HeldError); errors.As(err, &held) {
			return nil, fmt.Errorf("something else is being added or removed (%w): wait for it to end", err)
		}
		return nil, lockRemedy(dir, err)
	}
	return func() { _ = lock.Release() }, nil
}

// incomingFolder holds what is being added until it has been checked.
const incomingFolder = "incoming"

// Stage holds the lock of the data folder while add works in a folder of its
// own there, on the file system on which what it makes shall lie. That folder
// goes afterwards, as does what a killed process has left in it before.
func Stage(dir string, add func(incoming string) error) error {
	unlock, err := Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	incoming := filepath.Join(dir, incomingFolder)
	if err := os.RemoveAll(incoming); err != nil {
		return err
	}
	defer os.RemoveAll(incoming)
	if err = fsx.MkdirAll(incoming); err == nil {
		err = add(incoming)
	}
	return withRemedy(dir, err)
}

const elsewhere = "choose another data folder by --data-dir or $EXP_DATA"

// withRemedy says what to do about a data folder on a disk that is full or
// cannot be written to.
func withRemedy(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: make room on the disk of %s, or %s", err, dir, elsewhere)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %s", err, elsewhere)
	}
	return err
}

// lockRemedy is withRemedy for the first file that is written: where that is
// forbidden, all others are.
func lockRemedy(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %s", err, elsewhere)
	}
	return withRemedy(dir, err)
}
