package fsx

import (
	"io/fs"
	"syscall"
)

func systemStamp(info fs.FileInfo) ownStamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ownStamp{}
	}
	return ownStamp{s.Ino, s.Ctim.Nano()}
}
