// Package mapped maps large files that are read often into memory, so that this process shares the
// page cache of the system instead of a copy.
//
// A file stays mapped until the process ends, so slices of it are always valid. It is mapped once,
// however often it is opened, and the system can reclaim its memory.
package mapped

import (
	"os"
	"sync"
	"unsafe"
)

type region struct {
	info os.FileInfo // of the file as it was mapped
	data []byte
}

var (
	mu      sync.RWMutex
	regions []region
)

// Open maps an open file into memory and returns its bytes, which must not be written to. It
// returns nil if the file cannot be mapped; the caller then reads it. A mapped file must be
// replaced, never changed in place.
func Open(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || int64(int(info.Size())) != info.Size() {
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	for _, r := range regions {
		if os.SameFile(r.info, info) && r.info.Size() == info.Size() && r.info.ModTime().Equal(info.ModTime()) {
			return r.data
		}
	}
	data := open(f, int(info.Size()))
	if data != nil {
		regions = append(regions, region{info, data})
	}
	return data
}

// Release tells the system that a slice of a mapped file is not needed now: its pages no longer
// count as memory of the process and are loaded again when they are read. For other slices it does
// nothing.
func Release[T any](a []T) {
	if len(a) == 0 {
		return
	}
	mu.RLock()
	defer mu.RUnlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	for _, r := range regions {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(r.data)))
		if at >= from && at < from+uintptr(len(r.data)) {
			release(r.data)
			return
		}
	}
}
