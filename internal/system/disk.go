package system

import (
	"errors"
	"runtime"
	"slices"
	"syscall"
)

// noRoom are the errors of a full file system and of an exceeded quota; Windows has three of its own.
var noRoom = map[bool][]syscall.Errno{false: {syscall.ENOSPC, syscall.EDQUOT}, true: {39, 112, 1295}}

// DiskFull reports whether an error means a full file system or an exceeded quota.
func DiskFull(err error) bool {
	code, is := errors.AsType[syscall.Errno](err)
	return is && slices.Contains(noRoom[runtime.GOOS == "windows"], code)
}
