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
		return nil, elsewhere(err)
	}
	lock, err := fsx.In(dir).Acquire("lock")
	if err != nil {
		if held := new(fsx.HeldError); errors.As(err, &held) {
			return nil, fmt.Errorf("another process is adding or removing data (%w): wait for it to end", err)
		}
		return nil, elsewhere(err)
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
	return err
}

// elsewhere adds to an error of a folder that cannot be written what to do about it.
func elsewhere(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EROFS) { // none can be made below /proc
		return fmt.Errorf("%w: choose another data folder by --data-dir or $EXP_DATA", err)
	}
	return err
}
