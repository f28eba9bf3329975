// Package mapped holds large files that are read again and again where the system keeps
// them anyway, its cache of pages, instead of copying them into memory of this process.
//
// What is mapped stays so until the process ends: slices into it are handed about as any
// others are. A file costs addresses once, however often it is opened, and no memory that
// the system could not take back.
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

// Release says that a slice is not needed for now, if it is of a mapped file: its pages no
// longer count as memory of the process, and come back when they are read. Other memory
// stays as it is.
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
