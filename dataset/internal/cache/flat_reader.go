package cache

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"unsafe"
)

// reader reads the arrays of a file in the order they were written.
// The first error stays: afterwards every array is empty, and close returns it.
// Nothing read may be trusted before close has returned nil.
type reader struct {
	r    io.Reader
	left int64 // bytes before the checksum that have not been read
	sum  uint32
	size int64  // of the bytes before the checksum
	data []byte // the whole file, mapped; nil if it is not
	buf  []byte
	err  error
}

// newReader begins a file of size bytes and of the given kind. If data holds it, too, view
// finds arrays there. The file is still read: mapped pages that only the checksum needs would count
// as memory of the process.
func newReader(r io.Reader, size int64, magic string, data []byte) *reader {
	if int64(len(data)) != size || !native {
		data = nil
	}
	f := &reader{r: r, left: size - 4, size: size - 4, data: data, buf: make([]byte, blockBytes)}
	if b := f.bytes(len(magic)); f.err == nil && string(b) != magic {
		f.fail("it is of another kind or version")
	}
	return f
}

func (f *reader) fail(why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", errDamaged, why)
	}
}

// bytes returns the next n ≤ blockBytes bytes, valid until the next call.
func (f *reader) bytes(n int) []byte {
	if f.err == nil && int64(n) > f.left {
		f.fail("it is too short")
	}
	if f.err != nil {
		return nil
	}
	b := f.buf[:n]
	if _, err := io.ReadFull(f.r, b); err != nil {
		f.err = fmt.Errorf("%w: %w", errDamaged, err)
		return nil
	}
	f.left -= int64(n)
	f.sum = crc32.Update(f.sum, castagnoli, b)
	return b
}

// int reads one number.
func (f *reader) int() int {
	b := f.bytes(8)
	if b == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint64(b))
}

// count reads the length of an array whose elements take width bytes each.
func (f *reader) count(width int) int {
	n := f.int()
	if n < 0 || int64(n) > f.left/int64(width) {
		f.fail("an array is longer than the file")
		return 0
	}
	return n
}

// readArray reads an array, a block at a time.
func readArray[T number](f *reader) []T {
	width := binary.Size(T(0))
	a := make([]T, f.count(width))
	for rest := a; len(rest) > 0; {
		n := min(len(rest), blockBytes/width)
		b := f.bytes(n * width)
		if b == nil {
			return nil
		}
		_, _ = binary.Decode(b, binary.LittleEndian, rest[:n]) // b has their size
		rest = rest[n:]
	}
	return a
}

// align skips the zeros that writer.align wrote.
func (f *reader) align() {
	if n := (f.size - f.left) % 8; n != 0 {
		f.bytes(int(8 - n))
	}
}

// view reads an array that begins behind an align. If the file is mapped, its elements are
// those there, and only check sees them, a block at a time in separate memory.
func view[T int | int32](f *reader, check func(block []T)) []T {
	var zero T
	width := int(unsafe.Sizeof(zero))
	n := f.count(width)
	var a, block []T
	if at := f.size - f.left; f.data != nil && n > 0 {
		a = unsafe.Slice((*T)(unsafe.Pointer(&f.data[at])), n)
		block = make([]T, blockBytes/width)
	} else {
		a = make([]T, n)
	}
	for from := 0; from < n; {
		dst := block
		if dst == nil {
			dst = a[from:]
		}
		dst = dst[:min(n-from, blockBytes/width)]
		b := f.bytes(len(dst) * width)
		if b == nil {
			return nil
		}
		for i := range dst {
			if width == 4 {
				dst[i] = T(int32(binary.LittleEndian.Uint32(b[4*i:])))
			} else {
				dst[i] = T(binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		check(dst)
		from += len(dst)
	}
	return a
}

// native reports whether numbers in memory have the format of the files.
var native = strconv.IntSize == 64 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// string reads one string.
func (f *reader) string() string { return string(readArray[byte](f)) }

// strings reads an array of strings, which share one piece of memory.
func (f *reader) strings() []string {
	lengths, all := readArray[int32](f), f.string()
	a := make([]string, len(lengths))
	for i, n := range lengths {
		if n < 0 || int(n) > len(all) {
			f.fail("a string is longer than the file")
			return nil
		}
		a[i], all = all[:n], all[n:]
	}
	if all != "" {
		f.fail("bytes are left over")
		return nil
	}
	return a
}

// close checks that the file was read to its end and that its checksum is
// right; it does not close the file.
func (f *reader) close() error {
	if f.err == nil && f.left != 0 {
		f.fail("bytes are left over")
	}
	if f.err != nil {
		return f.err
	}
	var b [4]byte
	if _, err := io.ReadFull(f.r, b[:]); err != nil || binary.LittleEndian.Uint32(b[:]) != f.sum {
		f.fail("its checksum is wrong")
	}
	return f.err
}
