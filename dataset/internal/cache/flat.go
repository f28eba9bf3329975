package cache

import (
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"slices"
)

// A cache file holds arrays one after another. It is quick to load (little-endian, no parsing), and
// damage is noticed:
//
//	magic [8]byte
//	each array: its length as a uint64, then its elements
//	CRC-32C of all that, uint32
//
// with zeros between them where align was called. The reader knows the order and the
// types. It believes no length that is larger than the rest of the file.

// errDamaged means that a file is not what its writer wrote.
var errDamaged = errors.New("cache file is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const blockBytes = 1 << 16

// number is an element of an array in a cache file.
type number interface{ int32 | int64 | float32 | byte }

// writer writes arrays. The first error stays and is returned by close.
type writer struct {
	w   io.Writer
	sum hash.Hash32
	buf []byte
	out int64 // bytes that have left buf
	err error
}

// newWriter begins a file of the given kind, eight bytes.
func newWriter(w io.Writer, magic string) *writer {
	f := &writer{w: w, sum: crc32.New(castagnoli), buf: make([]byte, 0, 2*blockBytes)}
	f.buf = append(f.buf, magic...)
	return f
}

func (f *writer) room() {
	if len(f.buf) >= blockBytes {
		f.flush()
	}
}

func (f *writer) flush() {
	if f.err == nil {
		f.sum.Write(f.buf)
		_, f.err = f.w.Write(f.buf)
	}
	f.out += int64(len(f.buf))
	f.buf = f.buf[:0]
}

// align pads to a multiple of eight bytes, where view can see elements of any type.
func (f *writer) align() {
	for (f.out+int64(len(f.buf)))%8 != 0 {
		f.buf = append(f.buf, 0)
	}
	f.room()
}

// int writes one number.
func (f *writer) int(v int) {
	f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(v))
	f.room()
}

// int32 writes an element of an array whose length int has written.
func (f *writer) int32(v int32) {
	f.buf = binary.LittleEndian.AppendUint32(f.buf, uint32(v))
	f.room()
}

// text writes a part of a string whose length int has written.
func (f *writer) text(s string) { writeAll(f, []byte(s)) }

// string writes one string.
func (f *writer) string(s string) { writeArray(f, []byte(s)) }

// strings writes an array of strings: the lengths, then all bytes.
func (f *writer) strings(a []string) {
	lengths, total := make([]int32, len(a)), 0
	for i, s := range a {
		lengths[i] = int32(len(s))
		total += len(s)
	}
	writeArray(f, lengths)
	f.int(total)
	for _, s := range a {
		f.text(s)
	}
}

func writeArray[T number](f *writer, a []T) {
	f.int(len(a))
	writeAll(f, a)
}

func writeAll[T number](f *writer, a []T) {
	for part := range slices.Chunk(a, blockBytes/8) {
		f.buf, _ = binary.Append(f.buf, binary.LittleEndian, part) // numbers have a fixed size
		f.room()
	}
}

// close writes the checksum; it does not close the file.
func (f *writer) close() error {
	f.flush()
	if f.err != nil {
		return f.err
	}
	_, f.err = f.w.Write(binary.LittleEndian.AppendUint32(nil, f.sum.Sum32()))
	return f.err
}
