// Package safetensors reads and writes the safetensors format
// (github.com/huggingface/safetensors): the length of a header as a 64-bit
// little-endian number, the header as JSON, then the tensors' values, little
// endian and row-major, one after another without gaps. It supports the types F32, F64, I64
// and U8.
package safetensors

import (
	"fmt"
	"math"
	"slices"
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

// Find returns the tensor with that name.
func (f *File) Find(name string) (Tensor, bool) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// Get returns the values and shape of a tensor. A missing tensor or one of another type is
// an error.
func Get[T float32 | float64 | int64 | byte](f *File, name string) (values []T, shape []int, err error) {
	t, ok := f.Find(name)
	if !ok {
		return nil, nil, fmt.Errorf("no tensor %q", name)
	}
	values, ok = t.Data.([]T)
	if !ok {
		return nil, nil, fmt.Errorf("tensor %q holds %T, not %T", name, t.Data, values)
	}
	return values, t.Shape, nil
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
