package flat

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"unsafe"
)

// Reader reads the arrays of a file in the order in which they were written.
// The first error stays: afterwards every array is empty, and Close returns it.
// Nothing read may be trusted before Close has returned nil.
type Reader struct {
	r    io.Reader
	left int64 // bytes before the checksum that have not been read
	sum  uint32
	size int64  // of what the checksum covers
	data []byte // the whole file, mapped; nil if it is not
	buf  []byte
	err  error
}

// NewReader begins a file of size bytes and of the given kind. Where data holds it, too, View
// finds arrays there. It is read all the same, for pages that only the checksum has seen count
// as memory of the process.
func NewReader(r io.Reader, size int64, magic string, data []byte) *Reader {
	if int64(len(data)) != size || !native {
		data = nil
	}
	f := &Reader{r: r, left: size - 4, size: size - 4, data: data, buf: make([]byte, blockBytes)}
	if b := f.bytes(len(magic)); f.err == nil && string(b) != magic {
		f.fail("it is of another kind or version")
	}
	return f
}

func (f *Reader) fail(why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", ErrDamaged, why)
	}
}

// bytes returns the next n ≤ blockBytes bytes, valid until the next call.
func (f *Reader) bytes(n int) []byte {
	if f.err == nil && int64(n) > f.left {
		f.fail("it is too short")
	}
	if f.err != nil {
		return nil
	}
	b := f.buf[:n]
	if _, err := io.ReadFull(f.r, b); err != nil {
		f.err = fmt.Errorf("%w: %w", ErrDamaged, err)
		return nil
	}
	f.left -= int64(n)
	f.sum = crc32.Update(f.sum, castagnoli, b)
	return b
}

// Int reads one number.
func (f *Reader) Int() int {
	b := f.bytes(8)
	if b == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint64(b))
}

// count reads the length of an array whose elements take width bytes each.
func (f *Reader) count(width int64) int {
	n := f.Int()
	if n < 0 || int64(n) > f.left/width {
		f.fail("an array is longer than the file")
		return 0
	}
	return n
}

// array reads elements of the given width, a block at a time.
func array[T any](f *Reader, width int, decode func(dst []T, src []byte)) []T {
	a := make([]T, f.count(int64(width)))
	for rest := a; len(rest) > 0; {
		n := min(len(rest), blockBytes/width)
		b := f.bytes(n * width)
		if b == nil {
			return nil
		}
		decode(rest[:n], b)
		rest = rest[n:]
	}
	return a
}

// Int32s reads an array.
func (f *Reader) Int32s() []int32 {
	return array(f, 4, func(dst []int32, src []byte) {
		for i := range dst {
			dst[i] = int32(binary.LittleEndian.Uint32(src[4*i:]))
		}
	})
}

// Int64s reads an array.
func (f *Reader) Int64s() []int64 {
	return array(f, 8, func(dst []int64, src []byte) {
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
		}
	})
}

// Float32s reads an array.
func (f *Reader) Float32s() []float32 {
	return array(f, 4, func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	})
}

// Align goes to where Writer.Align has gone.
func (f *Reader) Align() {
	if n := (f.size - f.left) % 8; n != 0 {
		f.bytes(int(8 - n))
	}
}

// View reads an array that begins behind an Align. If the file is mapped its elements are
// those there, and only check sees them, a block at a time in memory of its own.
func View[T int | int32](f *Reader, check func(block []T)) []T {
	var zero T
	width := int(unsafe.Sizeof(zero))
	n := f.count(int64(width))
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

// native reports whether memory has numbers as the files have them.
var native = strconv.IntSize == 64 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// String reads one string.
func (f *Reader) String() string {
	return string(array(f, 1, func(dst, src []byte) { copy(dst, src) }))
}

// Strings reads an array. The strings share one piece of memory.
func (f *Reader) Strings() []string {
	lengths := f.Int32s()
	all := f.String()
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

// Close checks that the file was read to its end and that its checksum is
// right; it does not close the file.
func (f *Reader) Close() error {
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
