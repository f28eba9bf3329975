// Package disk tells how much room a file system has.
package disk

import (
	"errors"
	"slices"
	"syscall"
)

// Free returns how many bytes this user may still write in a folder, which must
// exist. ok is false if the system does not report it.
func Free(folder string) (bytes int64, ok bool) { return free(folder) }

// Full reports whether an error means a full file system or an exceeded quota.
func Full(err error) bool {
	code, is := errors.AsType[syscall.Errno](err)
	return is && slices.Contains(noRoom, code)
}
