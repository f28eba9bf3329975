// Package disk tells how much room a file system has.
package disk

import (
	"errors"
	"slices"
	"syscall"
)

// Free returns how many bytes this user may still write beneath a folder, which
// has to be there. ok is false where the system does not tell.
func Free(folder string) (bytes int64, ok bool) { return free(folder) }

// Full reports whether an error is of a file system that has no room, or none for this user.
func Full(err error) bool {
	code, is := errors.AsType[syscall.Errno](err)
	return is && slices.Contains(noRoom, code)
}
