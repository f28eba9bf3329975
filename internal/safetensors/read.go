package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Parse parses a whole file. The tensors must fill the data without gaps or overlaps, every
// shape must fit its offsets, and names must be unique. Tensors of type U8 share memory with b.
func Parse(b []byte) (*File, error) {
	f, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func parse(b []byte) (*File, error) {
	header, err := readHeader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	metadata, entries, err := parseHeader(header[8:])
	if err != nil {
		return nil, err
	}
	data := b[len(header):]
	f := &File{Metadata: metadata}
	end := 0
	for _, e := range entries {
		if e.Offsets[0] != end {
			return nil, fmt.Errorf("tensor %q begins at byte %d of the data, but the one before ends at %d", e.name, e.Offsets[0], end)
		}
		end = e.Offsets[1]
		if end > len(data) {
			return nil, fmt.Errorf("tensor %q ends at byte %d of the data, which has %d: the file was cut off", e.name, end, len(data))
		}
		f.Tensors = append(f.Tensors, Tensor{Name: e.name, Shape: e.Shape, Data: decode(e.DType, data[e.Offsets[0]:end])})
	}
	if end != len(data) {
		return nil, fmt.Errorf("%d bytes follow the last tensor", len(data)-end)
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
