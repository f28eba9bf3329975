// Package safetensors reads and writes the safetensors format
// (github.com/huggingface/safetensors): the length of a header as a 64-bit
// little-endian number, the header as JSON, then the tensors' values, little
// endian and row-major, one after another without gaps. It supports the types F32, F64, I64
// and U8.
package safetensors

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tensor is one named array, row-major.
type Tensor struct {
	Name  string
	Shape []int // none: a single value
	Data  any   // []float32, []float64, []int64 or []byte
}

// Bytes returns the size of the values in a file.
func (t Tensor) Bytes() int64 {
	_, size, n, _ := dtype(t.Data)
	return int64(size) * int64(n)
}

// File is the contents of a file.
type File struct {
	Metadata map[string]string
	Tensors  []Tensor
}

// Get returns the values and shape of a tensor. A missing tensor or one of another type is
// an error.
func Get[T float32 | float64 | int64 | byte](f *File, name string) (values []T, shape []int, err error) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return nil, nil, fmt.Errorf("no tensor %q", name)
	}
	values, ok := f.Tensors[i].Data.([]T)
	if !ok {
		return nil, nil, fmt.Errorf("tensor %q holds %T, not %T", name, f.Tensors[i].Data, values)
	}
	return values, f.Tensors[i].Shape, nil
}

// dtype returns the format's name of the element type, the bytes of an element
// and the number of elements.
func dtype(data any) (name string, size, n int, err error) {
	switch d := data.(type) {
	case []float32:
		return "F32", 4, len(d), nil
	case []float64:
		return "F64", 8, len(d), nil
	case []int64:
		return "I64", 8, len(d), nil
	case []byte:
		return "U8", 1, len(d), nil
	}
	return "", 0, 0, fmt.Errorf("unsupported element type %T", data)
}

// sizes are the bytes of an element of each type.
var sizes = map[string]int{"F32": 4, "F64": 8, "I64": 8, "U8": 1}

// volume returns the number of elements of a shape; ok is false for a negative dimension or
// an overflow.
func volume(shape []int) (n int, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 || (d > 0 && n > math.MaxInt/d) {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// ordered returns the tensors by decreasing element size, then by name, as the format's own
// library orders them.
func ordered(tensors []Tensor) []Tensor {
	tensors = slices.Clone(tensors)
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		_, sizeA, _, _ := dtype(a.Data)
		_, sizeB, _, _ := dtype(b.Data)
		return cmp.Or(cmp.Compare(sizeB, sizeA), cmp.Compare(a.Name, b.Name))
	})
	return tensors
}

// Write writes the file. The same contents always give the same bytes. The header is padded
// so that values are aligned.
func Write(w io.Writer, f *File) error {
	tensors := ordered(f.Tensors)
	header, err := encodeHeader(f.Metadata, tensors)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeData(w, t.Data); err != nil {
			return err
		}
	}
	return nil
}

func encodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	var fields []string
	field := func(name string, value any) error {
		key, err1 := json.Marshal(name)
		v, err2 := json.Marshal(value)
		fields = append(fields, string(key)+":"+string(v))
		return errors.Join(err1, err2)
	}
	for k, v := range metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, fmt.Errorf("metadata %q is not UTF-8", k)
		}
	}
	if len(metadata) > 0 {
		if err := field(metadataKey, metadata); err != nil {
			return nil, err
		}
	}
	offset := 0
	for _, t := range tensors {
		name, size, n, err := dtype(t.Data)
		v, ok := volume(t.Shape)
		switch {
		case err != nil:
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		case !ok || v != n:
			return nil, fmt.Errorf("tensor %q: %d values do not fill the shape %v", t.Name, n, t.Shape)
		}
		e := entry{DType: name, Shape: append([]int{}, t.Shape...), Offsets: []int{offset, offset + size*n}}
		if err := field(t.Name, e); err != nil {
			return nil, err
		}
		offset = e.Offsets[1]
	}
	header := "{" + strings.Join(fields, ",") + "}"
	if header += strings.Repeat(" ", -len(header)&7); len(header) > maxHeader {
		return nil, fmt.Errorf("header of %d bytes, more than the %d allowed", len(header), maxHeader)
	}
	return []byte(header), nil
}

// writeData writes a slice of numbers through a small buffer.
func writeData(w io.Writer, data any) error {
	var buf []byte
	for values, i := reflect.ValueOf(data), 0; i < values.Len(); i += 1 << 12 {
		part := values.Slice(i, min(i+1<<12, values.Len())).Interface()
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, part) // numbers have a fixed size
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

const (
	metadataKey = "__metadata__"
	maxHeader   = 4 << 20 // the format allows 100 MB; with 24 layers of 64 heads ours have some hundred kB
)

// SumKey is the metadata key of a checksum. In a file of WriteSealed it is the SHA-256 of the
// file with zeros in place of the sum's digits; other writers may store another sum, such as
// ValuesSum.
const SumKey = "sha256"

var noSum = strings.Repeat("0", 2*sha256.Size)

// WriteSealed writes a file with its checksum, which it adds to the metadata of f.
func WriteSealed(w io.Writer, f *File) error {
	if f.Metadata == nil {
		f.Metadata = map[string]string{}
	}
	f.Metadata[SumKey] = noSum
	h := sha256.New()
	if err := Write(h, f); err != nil {
		return err
	}
	f.Metadata[SumKey] = hex.EncodeToString(h.Sum(nil))
	return Write(w, f)
}

// Verify checks the bytes of a sealed file against the checksum in its metadata, which f must
// have been parsed from. It searches the digits in the bytes, so the result does not depend on
// how this program would write the same contents.
func Verify(b []byte, f *File) error {
	field := func(sum string) []byte { return []byte(`"` + SumKey + `":"` + sum + `"`) }
	sum := f.Metadata[SumKey]
	before, after, found := bytes.Cut(b, field(sum)) // a quote inside a JSON string is escaped
	if len(sum) != len(noSum) || !found {
		return errors.New("it has no checksum")
	}
	h := sha256.New()
	h.Write(before)
	h.Write(field(noSum))
	h.Write(after)
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		return fmt.Errorf("its checksum is %.12s…, it should be %.12s…", got, sum)
	}
	return nil
}

// ValuesSum returns the SHA-256 of the tensors' values as a file holds them. Metadata does
// not change it.
func ValuesSum(f *File) (string, error) {
	h := sha256.New()
	for _, t := range ordered(f.Tensors) {
		if _, _, _, err := dtype(t.Data); err != nil {
			return "", err
		}
		if err := writeData(h, t.Data); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
