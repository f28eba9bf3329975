//go:build !windows

package fsx

import (
	"errors"
	"os"
	"syscall"
)

func replace(r *os.Root, _, from, to string) error { return r.Rename(from, to) }

// syncDir makes renames and new files in the folder last. Some file systems
// (network ones, FUSE) cannot sync a folder and say so by EINVAL or ENOTSUP:
// there nothing more can be done.
func syncDir(r *os.Root) error {
	d, err := r.Open(".")
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
