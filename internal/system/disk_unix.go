//go:build linux || darwin || freebsd

package system

import (
	"math"

	"golang.org/x/sys/unix"
)

var noRoom = []unix.Errno{unix.ENOSPC, unix.EDQUOT}

// FreeDisk returns how many bytes this user may still write in a folder, which must exist. ok is
// false if the system does not report it.
func FreeDisk(folder string) (bytes int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	// A network file system may report more than an int64 holds.
	blocks, size := int64(s.Bavail), int64(s.Bsize)
	if size <= 0 || blocks < 0 || blocks > math.MaxInt64/size {
		return math.MaxInt64, true
	}
	return blocks * size, true
}
