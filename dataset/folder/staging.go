package folder

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"imdbexp/internal/fsx"
)

// Lock takes the data folder for one who changes what is installed; the folder
// is made if need be.
func Lock(dir string) (unlock func(), err error) {
	if err := fsx.In(dir).Make(); err != nil {
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

// What is being added lies in a folder of this name and 16 random digits until it has been
// checked, beside a file that holds the folder's name: by both together, and by nothing
// less, a folder is known for one that this program has made and may remove.
const (
	incoming = ".incoming-"
	proof    = "made-by-exp"
)

// Stage holds the lock of the data folder while add works in a folder of its
// own there, on the file system on which what it makes shall lie. That folder
// goes afterwards, as do those that killed processes have left before.
func Stage(dir string, add func(incoming string) error) error {
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
		if strings.HasPrefix(e.Name(), incoming) {
			if err := discard(fsx.In(dir, e.Name()), e.Name()); err != nil {
				return err
			}
		}
	}
	var random [8]byte
	rand.Read(random[:]) // never fails
	name := incoming + hex.EncodeToString(random[:])
	stage := fsx.In(dir, name)
	defer discard(stage, name)
	if err = stage.Make(); err == nil {
		if err = stage.WriteBytes(proof, []byte(name+"\n")); err == nil {
			err = add(stage.Path())
		}
	}
	return withRemedy(dir, err)
}

// discard removes a folder that Stage has made, and leaves others alone. The proof goes
// last: what an interruption leaves can be removed, too.
func discard(stage fsx.Dir, name string) error {
	if b, err := stage.ReadFile(proof, 100); err != nil || string(b) != name+"\n" {
		if len(name) == len(incoming)+16 {
			_ = stage.RemoveEmpty() // the process died before it wrote the proof
		}
		return nil
	}
	entries, err := stage.Entries()
	for _, e := range entries {
		if e.Name() != proof {
			err = errors.Join(err, stage.Sub(e.Name()).RemoveAll())
		}
	}
	if err != nil {
		return err
	}
	return stage.RemoveAll()
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
