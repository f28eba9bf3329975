package simd_test

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
)

// TestNoReadPastTheEnd places every operand right before a page that cannot be
// read: a kernel that touches it crashes the test.
func TestNoReadPastTheEnd(t *testing.T) {
	const page = 4096
	var maps [][]byte
	guarded := func(n int) []float32 {
		size := (n*4 + page) / page * page
		b, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		require.NoError(t, err)
		require.NoError(t, syscall.Mprotect(b[size:], syscall.PROT_NONE))
		maps = append(maps, b)
		return unsafe.Slice((*float32)(unsafe.Pointer(&b[size-4*n])), n)
	}
	for _, l := range simd.Levels() {
		useLevel(t, l)
		for _, run := range selftest.Kernels {
			for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 50, 63, 64, 65, 130} {
				e := selftest.New(uint64(n), selftest.Plain)
				e.Make = guarded
				run(e, n)
				for _, b := range maps {
					require.NoError(t, syscall.Munmap(b))
				}
				maps = maps[:0]
			}
		}
	}
}
