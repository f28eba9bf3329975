package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
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
	if len(b) < 8 {
		return nil, fmt.Errorf("%d bytes are shorter than a header", len(b))
	}
	n, err := headerLength(b)
	if err != nil {
		return nil, err
	}
	if n > len(b)-8 {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", n, len(b))
	}
	metadata, entries, err := parseHeader(b[8 : 8+n])
	if err != nil {
		return nil, err
	}
	data := b[8+n:]
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
	switch dtype {
	case "F32":
		v := make([]float32, len(b)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return v
	case "F64":
		v := make([]float64, len(b)/8)
		for i := range v {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return v
	case "I64":
		v := make([]int64, len(b)/8)
		for i := range v {
			v[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return v
	}
	return b
}
