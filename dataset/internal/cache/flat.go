// Package flat writes and reads caches: arrays one after another in a file
// that is quick to load (little-endian, no parsing) and that is recognised when
// it is damaged. It holds
//
//	magic [8]byte
//	each array: its length as a uint64, then its elements
//	CRC-32C of all that, uint32
//
// with zeros between them where Align was called. The reader knows the order and the
// types. It believes no length that is larger than what is left of the file.
package flat

import (
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
)

// ErrDamaged means that a file is not what its writer wrote.
var ErrDamaged = errors.New("cache file is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const blockBytes = 1 << 16

// Writer writes arrays. The first error stays and is returned by Close.
type Writer struct {
	w   io.Writer
	sum hash.Hash32
	buf []byte
	out int64 // bytes that have left buf
	err error
}

// NewWriter begins a file of the given kind, eight bytes.
func NewWriter(w io.Writer, magic string) *Writer {
	f := &Writer{w: w, sum: crc32.New(castagnoli), buf: make([]byte, 0, blockBytes+8)}
	f.buf = append(f.buf, magic...)
	return f
}

func (f *Writer) room() {
	if len(f.buf) >= blockBytes {
		f.flush()
	}
}

func (f *Writer) flush() {
	if f.err == nil {
		f.sum.Write(f.buf)
		_, f.err = f.w.Write(f.buf)
	}
	f.out += int64(len(f.buf))
	f.buf = f.buf[:0]
}

// Align goes on at a multiple of eight bytes, where Reader.View can see elements of any type.
func (f *Writer) Align() {
	for (f.out+int64(len(f.buf)))%8 != 0 {
		f.buf = append(f.buf, 0)
	}
	f.room()
}

// Int writes one number.
func (f *Writer) Int(v int) {
	f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(v))
	f.room()
}

// Int32s writes an array.
func (f *Writer) Int32s(a []int32) {
	f.Int(len(a))
	for _, v := range a {
		f.Int32(v)
	}
}

// Int32 writes an element of an array whose length Int has written.
func (f *Writer) Int32(v int32) {
	f.buf = binary.LittleEndian.AppendUint32(f.buf, uint32(v))
	f.room()
}

// Int64s writes an array.
func (f *Writer) Int64s(a []int64) {
	f.Int(len(a))
	for _, v := range a {
		f.Int(int(v))
	}
}

// Float32s writes an array.
func (f *Writer) Float32s(a []float32) {
	f.Int(len(a))
	for _, v := range a {
		f.buf = binary.LittleEndian.AppendUint32(f.buf, math.Float32bits(v))
		f.room()
	}
}

// String writes one string.
func (f *Writer) String(s string) {
	f.Int(len(s))
	f.Text(s)
}

// Text writes a part of a string whose length Int has written.
func (f *Writer) Text(s string) {
	for len(s) > 0 {
		n := min(len(s), blockBytes+8-len(f.buf))
		f.buf = append(f.buf, s[:n]...)
		s = s[n:]
		f.room()
	}
}

// Strings writes an array: the lengths, then all bytes.
func (f *Writer) Strings(a []string) {
	lengths, total := make([]int32, len(a)), 0
	for i, s := range a {
		lengths[i] = int32(len(s))
		total += len(s)
	}
	f.Int32s(lengths)
	f.Int(total)
	for _, s := range a {
		f.Text(s)
	}
}

// Close writes the checksum; it does not close the file.
func (f *Writer) Close() error {
	f.flush()
	if f.err != nil {
		return f.err
	}
	_, f.err = f.w.Write(binary.LittleEndian.AppendUint32(nil, f.sum.Sum32()))
	return f.err
}
