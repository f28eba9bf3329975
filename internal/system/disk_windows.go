package system

import (
	"math"

	"golang.org/x/sys/windows"
)

var noRoom = []windows.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}

// FreeDisk returns how many bytes this user may still write in a folder, which must exist. ok is
// false if the system does not report it.
func FreeDisk(folder string) (bytes int64, ok bool) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, false
	}
	var here uint64
	if err := windows.GetDiskFreeSpaceEx(name, &here, nil, nil); err != nil {
		return 0, false
	}
	return int64(min(here, math.MaxInt64)), true
}
