package disk

import (
	"math"

	"golang.org/x/sys/windows"
)

var noRoom = []windows.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}

func free(folder string) (int64, bool) {
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
