package cache

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"unsafe"

	"imdbexp/internal/fsx"
	"imdbexp/internal/mapped"
)

// A cache file holds arrays as they are in memory, so that it is quick to load, and damage is noticed:
//
//	sections of bytes, each at a multiple of eight
//	their index as JSON, and its length as a uint64
//	CRC-32C of all that, uint32
//
// All numbers are little-endian.

// index is what a file says of itself.
type index struct {
	Kind      string   `json:"kind"` // with the version of its format
	Digest    string   `json:"digest"`
	Corpus    string   `json:"corpus,omitempty"` // digest of the corpus whose words the vectors are of
	Dim       int      `json:"dim,omitempty"`
	Total     int      `json:"total,omitempty"`
	Tokenizer string   `json:"tokenizer,omitempty"`
	Classes   []string `json:"classes,omitempty"`

	Sections map[string][2]int64 `json:"sections"` // from and length, in bytes
}

// errDamaged means that a file is not what write wrote.
var errDamaged = errors.New("cache file is damaged, or of another kind or version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// native reports whether numbers in memory have the format of the files. Nothing is cached where not.
var native = strconv.IntSize == 64 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// writer writes the sections of a file. The first error of writing stays until the end.
type writer struct {
	*bufio.Writer
	index index
	at    int64
}

// write writes a file.
func write(cache, name string, x index, fill func(w *writer)) error {
	x.Sections = map[string][2]int64{}
	if !native {
		return nil
	}
	if err := fsx.In(cache).Make(); err != nil {
		return err
	}
	return fsx.In(cache).WriteFile(name, func(out io.Writer) error {
		sum := crc32.New(castagnoli)
		w := &writer{Writer: bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<16), index: x}
		fill(w)
		tail, err := json.Marshal(w.index)
		if err != nil {
			return err
		}
		w.Write(binary.LittleEndian.AppendUint64(tail, uint64(len(tail))))
		if err := w.Flush(); err != nil {
			return err
		}
		_, err = out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
		return err
	})
}

func (w *writer) put(b []byte) {
	w.Write(b)
	w.at += int64(len(b))
}

// section writes a section: the bytes that fill puts.
func (w *writer) section(name string, fill func()) {
	w.put(make([]byte, -w.at&7))
	from := w.at
	fill()
	w.index.Sections[name] = [2]int64{from, w.at - from}
}

// numbers writes an array.
func numbers[T int | int32 | int64 | float32](w *writer, name string, a []T) {
	w.section(name, func() {
		if len(a) > 0 {
			w.put(unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(a[0]))))
		}
	})
}

// strings writes strings without line ends.
func (w *writer) strings(name string, all []string) {
	w.section(name, func() {
		for _, s := range all {
			w.put([]byte(s + "\n"))
		}
	})
}

// leastMapped is the size of files from which on it is worth while to map them.
const leastMapped = 1 << 20

// file is a whole file.
type file struct {
	index
	data []byte
}

// read reads a file and checks it. If the file is mapped, it is read all the same: mapped pages that
// only the checksum needs would count as memory of the process.
func read(cache, name, kind string) (*file, error) {
	in, err := fsx.In(cache).Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	sum, size := crc32.New(castagnoli), info.Size()
	var end [12]byte // length of the index, and checksum
	if _, err := io.CopyN(sum, in, size-4); err != nil || size < 12 {
		return nil, errDamaged
	}
	if _, err := in.ReadAt(end[:], size-12); err != nil {
		return nil, err
	}
	f, n := new(file), binary.LittleEndian.Uint64(end[:])
	if binary.LittleEndian.Uint32(end[8:]) != sum.Sum32() || n > uint64(size-12) {
		return nil, errDamaged
	}
	if size >= leastMapped {
		f.data = mapped.Open(in)
	}
	if f.data == nil {
		f.data = make([]byte, size)
		if _, err := in.ReadAt(f.data, 0); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(f.data[size-12-int64(n):size-12], &f.index); err != nil || f.Kind != kind {
		return nil, fmt.Errorf("%s: %w", name, errDamaged)
	}
	return f, nil
}

// array returns a section as an array, which is not to be changed.
func array[T int | int32 | int64 | float32](f *file, name string) []T {
	b := f.bytes(name)
	if len(b) == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(T(0))))
}

func (f *file) bytes(name string) []byte {
	s := f.Sections[name]
	return f.data[s[0] : s[0]+s[1]]
}

// strings returns what writer.strings wrote.
func (f *file) strings(name string) []string {
	all := strings.Split(string(f.bytes(name)), "\n")
	return all[:len(all)-1]
}
