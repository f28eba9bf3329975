//go:build linux || darwin || freebsd

package disk

import (
	"math"

	"golang.org/x/sys/unix"
)

var noRoom = []unix.Errno{unix.ENOSPC, unix.EDQUOT}

func free(folder string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	// A network file system may tell of more than fits.
	blocks, size := int64(s.Bavail), int64(s.Bsize)
	if size <= 0 || blocks < 0 || blocks > math.MaxInt64/size {
		return math.MaxInt64, true
	}
	return blocks * size, true
}
