package fsx

import (
	"io/fs"
	"syscall"
)

// systemStamp has the time at which the file was made: Windows tells the rest only of
// files that are open.
func systemStamp(info fs.FileInfo) ownStamp {
	s, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return ownStamp{}
	}
	return ownStamp{changed: s.CreationTime.Nanoseconds()}
}
