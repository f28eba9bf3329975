package fsx

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Look describes files of the folder, links as such, nil for one that is not there. It
// walks to the folder once, which costs more than the looks themselves.
func (d Dir) Look(names ...string) (list []fs.FileInfo, err error) {
	err = d.do("lstat", "", func(r *os.Root) error {
		list, err = d.lookIn(r, names)
		return err
	})
	return list, err
}

// LookEach is Look for many folders of the folder, one after the other, of which it walks to
// each from there.
func (d Dir) LookEach(folders, names []string, each func(folder string, list []fs.FileInfo, err error)) error {
	return d.do("open", "", func(r *os.Root) error {
		for _, folder := range folders {
			sub := d.Sub(folder)
			in, err := openFolder(r, folder, sub.Path())
			if err != nil {
				each(folder, nil, sub.named("open", "", err))
				continue
			}
			list, err := sub.lookIn(in, names)
			_ = in.Close() // read only
			each(folder, list, err)
		}
		return nil
	})
}

func (d Dir) lookIn(r *os.Root, names []string) ([]fs.FileInfo, error) {
	list := make([]fs.FileInfo, len(names))
	for i, name := range names {
		info, err := r.Lstat(name)
		switch {
		case err == nil:
			list[i] = info
		case !errors.Is(err, fs.ErrNotExist):
			return nil, d.named("lstat", name, err)
		}
	}
	return list, nil
}

// AppendStamp appends what changes when a file is written, replaced or copied: size, time
// of change and, where the system has them, its number and the time at which the system
// itself last saw it changed, which nobody can set. Nil is a file that is not there. Two
// files of one stamp may differ all the same if both were written within what the clock of
// the file system can tell apart: see Changed.
func AppendStamp(b []byte, info fs.FileInfo) []byte {
	if info == nil {
		return append(b, 0)
	}
	own := systemStamp(info)
	b = binary.LittleEndian.AppendUint32(append(b, 1), uint32(info.Mode()))
	for _, n := range []uint64{uint64(info.Size()), uint64(info.ModTime().UnixNano()), own.number, uint64(own.changed)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// Changed returns when a file was last changed, the later one of what it says and of what
// the system says.
func Changed(info fs.FileInfo) time.Time {
	t := info.ModTime()
	if by := time.Unix(0, systemStamp(info).changed); by.After(t) {
		return by
	}
	return t
}

// ownStamp is what the system knows of a file beside what fs.FileInfo has: its number on
// its disk, and when it was last changed in any way, in nanoseconds since 1970.
type ownStamp struct {
	number  uint64
	changed int64
}
