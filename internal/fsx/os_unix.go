//go:build !windows

package fsx

import (
	"errors"
	"os"
	"syscall"

	"github.com/natefinch/atomic"
)

func replace(from, to string) error { return atomic.ReplaceFile(from, to) }

// syncDir makes renames and new files in the folder last. Some file systems
// (network ones, FUSE) cannot sync a folder and say so by EINVAL or ENOTSUP:
// there nothing more can be done.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
