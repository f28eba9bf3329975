package ops

import (
	"fmt"

	"imdbexp/internal/onnx"
)

// Small groups of ONNX operators that several ops share.

// lowest is a score that a softmax maps to 0. It is finite, so 0 times it is 0.
const lowest = -1e30

func (x *Export) zero() string { return x.Constant("zero", []int64{0}) }
func (x *Export) one() string  { return x.Constant("one", []int64{1}) }

// number is a constant of one float.
func (x *Export) number(name string, v float64) string {
	return x.Constant(name, []float32{float32(v)})
}

// axis is a constant that names one dimension.
func (x *Export) axis(axis int) string {
	return x.Constant(fmt.Sprintf("axis.%d", axis), []int64{int64(axis)}, 1)
}

// size is one dimension, as a list of one.
func (x *Export) size(name string, axis int64) string {
	return x.With("Shape", []onnx.Attribute{{Name: "start", Value: axis}, {Name: "end", Value: axis + 1}}, name)
}

func (x *Export) concat(axis int64, names ...string) string {
	return x.With("Concat", []onnx.Attribute{{Name: "axis", Value: axis}}, names...)
}

// expand inserts dimensions of 1.
func (x *Export) expand(name string, axes ...int) string {
	for _, a := range axes {
		name = x.Op("Unsqueeze", name, x.axis(a))
	}
	return name
}

// repeat gives each review the same array, whose first dimension of rank is 1.
func (x *Export) repeat(name string, rank int) string {
	shape := []string{x.batch}
	for range rank - 1 {
		shape = append(shape, x.Constant("ones", []int64{1}, 1))
	}
	return x.Op("Expand", name, x.concat(0, shape...))
}

// reshape is to dims; 0 keeps a dimension.
func (x *Export) reshape(name string, dims ...int) string {
	shape, list := "shape", make([]int64, len(dims))
	for i, d := range dims {
		shape, list[i] = fmt.Sprintf("%s.%d", shape, d), int64(d)
	}
	return x.Op("Reshape", name, x.Constant(shape, list, len(dims)))
}

func (x *Export) softmax(op, name string, axis int64) string {
	return x.With(op, []onnx.Attribute{{Name: "axis", Value: axis}}, name)
}

func (x *Export) sum(name string, axis int, keep bool) string {
	dims := int64(0)
	if keep {
		dims = 1
	}
	return x.With("ReduceSum", []onnx.Attribute{{Name: "keepdims", Value: dims}}, name, x.axis(axis))
}

func (x *Export) cast(name string, to onnx.ElemType) string {
	return x.With("Cast", []onnx.Attribute{{Name: "to", Value: int64(to)}}, name)
}

func (x *Export) transpose(name string, order ...int64) string {
	return x.With("Transpose", []onnx.Attribute{{Name: "perm", Value: order}}, name)
}

// first returns the first of the words [batch, words, cols], or the first row of each
// review's matrix.
func (x *Export) first(name string) string {
	return x.Op("Gather", x.transpose(name, 1, 0, 2), x.zero())
}

// onlyIn replaces the scores outside the mask by a low score, for a softmax or a maximum.
func (x *Export) onlyIn(mask, scores string) string {
	return x.Op("Where", mask, scores, x.Constant("lowest", []float32{lowest}))
}

// attend returns the softmax p of scores along a dimension, and −p log p.
func (x *Export) attend(scores string, axis int64) (p, plogp string) {
	p, logs := x.softmax("Softmax", scores, axis), x.softmax("LogSoftmax", scores, axis)
	return p, x.Op("Neg", x.Op("Mul", p, logs))
}

// cell is a recurrent operator and the layout of its weights.
type cell struct {
	op         string
	gates      []int // of ours in the operator's order
	results    int
	attributes []onnx.Attribute
}

// recurrent adds a recurrent operator for the words in[0] with the weights in[1] and in[2], the
// biases of the inputs and of the states, and the starts [batch, h]. It returns the states
// [batch, words, h] and the operator's last states [batch, h].
func (x *Export) recurrent(c cell, k *recurrence, in []*Node, biases [2][]float32, starts []*Node) []string {
	wx, wh := in[1].leaf.mat, in[2].leaf.mat
	h, name, direction := wh.Rows, stem(in[1]), "forward"
	if k.reverse {
		direction = "reverse"
	}
	n := len(c.gates) * h
	var b []float32
	for _, bias := range biases {
		if bias == nil {
			bias = make([]float32, n)
		}
		b = append(b, gateRows(bias, 1, c.gates)...)
	}
	p := x.places(k.seq)
	inputs := []string{
		x.transpose(x.Name(in[0]), 1, 0, 2), // [n, B, d]
		x.Constant(name+".W", gateRows(wx.Data, wx.Rows, c.gates), 1, n, wx.Rows),
		x.Constant(name+".R", gateRows(wh.Data, h, c.gates), 1, n, h),
		x.Constant(name+".B", b, 1, 2*n),
		x.Op("Squeeze", x.cast(p.lengths, onnx.Int32), x.axis(1)),
	}
	for _, s := range starts {
		inputs = append(inputs, x.expand(x.Name(s), 0))
	}
	results := x.Several(c.op, c.results, append([]onnx.Attribute{{Name: "hidden_size", Value: int64(h)}, {Name: "direction", Value: direction}}, c.attributes...), inputs...)
	out := []string{x.reshape(x.transpose(results[0], 2, 0, 1, 3), 0, 0, h)} // [n, 1, B, h]
	for _, r := range results[1:] {
		out = append(out, x.Op("Squeeze", r, x.axis(0)))
	}
	return out
}

// gateRows turns a matrix [in, gates·h] into [gates·h, in], with the gates in another
// order.
func gateRows(m []float32, in int, order []int) []float32 {
	out, width := make([]float32, 0, len(m)), len(m)/in
	h := width / len(order)
	for _, gate := range order {
		for j := range h {
			for i := range in {
				out = append(out, m[i*width+gate*h+j])
			}
		}
	}
	return out
}
