package system

import (
	"errors"
	"slices"
	"syscall"
)

// DiskFull reports whether an error means a full file system or an exceeded quota.
func DiskFull(err error) bool {
	code, is := errors.AsType[syscall.Errno](err)
	return is && slices.Contains(noRoom, code)
}
