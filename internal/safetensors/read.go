package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// entry is a tensor as the header describes it.
type entry struct {
	name    string
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // first byte and the one after the last
}

// ReadMetadata reads the metadata of a file and nothing behind its header.
func ReadMetadata(r io.Reader) (map[string]string, error) {
	h, err := readHeader(r)
	return h.metadata, err
}

// header is the eight bytes of length and the header of a file, with its content.
type header struct {
	bytes    []byte
	metadata map[string]string
	entries  []entry // in order of their offsets
}

func readHeader(r io.Reader) (h header, err error) {
	defer func() {
		if err != nil {
			h, err = header{}, fmt.Errorf("safetensors: %w", err)
		}
	}()
	var first [8]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return h, fmt.Errorf("shorter than a header: %w", err)
	}
	n := binary.LittleEndian.Uint64(first[:])
	if n > maxHeader {
		return h, fmt.Errorf("header of %d bytes, more than the %d allowed", n, maxHeader)
	}
	// io.ReadAll grows as it reads: a wrong length must not allocate memory.
	b, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(b) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return h, fmt.Errorf("header: %w", err)
	}
	h.bytes = append(first[:], b...)
	h.metadata, h.entries, err = parseHeader(b)
	return h, err
}

// ReadAll reads a whole file of at most limit bytes, for Parse. The header declares the size,
// so a file that is too large is refused before it is read or decompressed.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	size := int64(len(h.bytes))
	if n := len(h.entries); n > 0 {
		size += int64(h.entries[n-1].Offsets[1])
	}
	if size > limit || size < 0 {
		return nil, fmt.Errorf("safetensors: its header declares %d bytes, more than the %d allowed", size, limit)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b[copy(b, h.bytes):]); err != nil {
		return nil, fmt.Errorf("safetensors: the file was cut off: %w", err)
	}
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return nil, errors.New("safetensors: more follows the last tensor")
	case err != io.EOF:
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return b, nil
}

// parseHeader returns the metadata and the tensors in order of their offsets.
func parseHeader(b []byte) (map[string]string, []entry, error) {
	if !utf8.Valid(b) {
		return nil, nil, errors.New("header is not UTF-8")
	}
	if len(b) == 0 || b[0] != '{' {
		return nil, nil, errors.New("header does not begin with {")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	var metadata map[string]string
	var entries []entry
	for name, value := range fields {
		if name == metadataKey {
			if err := json.Unmarshal(value, &metadata); err != nil {
				return nil, nil, fmt.Errorf("header: %s: %w", metadataKey, err)
			}
			continue
		}
		e := entry{name: name}
		if err := cmp.Or(json.Unmarshal(value, &e), e.check()); err != nil {
			return nil, nil, fmt.Errorf("header: tensor %q: %w", name, err)
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), cmp.Compare(a.name, b.name))
	})
	return metadata, entries, nil
}

func (e *entry) check() error {
	size, known := sizes[e.DType]
	n, ok := volume(e.Shape)
	switch {
	case !known:
		return fmt.Errorf("type %q is not one of F32, F64, I64, U8", e.DType)
	case e.Shape == nil:
		return errors.New("no shape")
	case !ok:
		return fmt.Errorf("impossible shape %v", e.Shape)
	case len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0]:
		return fmt.Errorf("impossible offsets %v", e.Offsets)
	case n != (e.Offsets[1]-e.Offsets[0])/size || (e.Offsets[1]-e.Offsets[0])%size != 0:
		return fmt.Errorf("offsets %v do not fit %d values of %d bytes", e.Offsets, n, size)
	}
	return nil
}

// Parse parses a whole file. The tensors must fill the data without gaps or overlaps, every
// shape must fit its offsets, and names must be unique. Tensors of type U8 share memory with b.
func Parse(b []byte) (*File, error) {
	h, err := readHeader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	data := b[len(h.bytes):]
	f := &File{Metadata: h.metadata}
	end := 0
	for _, e := range h.entries {
		if e.Offsets[0] != end {
			return nil, fmt.Errorf("safetensors: tensor %q begins at byte %d of the data, but the one before ends at %d", e.name, e.Offsets[0], end)
		}
		end = e.Offsets[1]
		if end > len(data) {
			return nil, fmt.Errorf("safetensors: tensor %q ends at byte %d of the data, which has %d: the file was cut off", e.name, end, len(data))
		}
		f.Tensors = append(f.Tensors, Tensor{Name: e.name, Shape: e.Shape, Data: decode(e.DType, data[e.Offsets[0]:end])})
	}
	if end != len(data) {
		return nil, fmt.Errorf("safetensors: %d bytes follow the last tensor", len(data)-end)
	}
	return f, nil
}

func decode(dtype string, b []byte) any {
	var values any
	switch dtype {
	case "F32":
		values = make([]float32, len(b)/4)
	case "F64":
		values = make([]float64, len(b)/8)
	case "I64":
		values = make([]int64, len(b)/8)
	default:
		return b
	}
	_, _ = binary.Decode(b, binary.LittleEndian, values) // b has their size
	return values
}
