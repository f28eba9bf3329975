//go:build unix

package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

func open(f *os.File, size int) []byte {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return data
}

func release(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }
