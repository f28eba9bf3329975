package infer

import (
	"fmt"

	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
)

// lowest is a score that no softmax counts. It is finite, so that times 0 it is 0.
const lowest = -1e30

// linear is x·W + b on the last dimension.
func (g *graph) linear(name, x string) string {
	return g.Op("Add", g.Op("MatMul", x, g.weight(name+".W")), g.weight(name+".b"))
}

// mean averages the words of each text: [B, n, d] to [B, d].
func (g *graph) mean(x string) string {
	sum := g.sum(g.Op("Mul", x, g.present), 1, false)
	return g.Op("Div", sum, g.cast(g.lengths, onnx.Float))
}

// attend scores every word [B, n, d] against a query, [1, d] or [B, d], and
// normalises over the words of each text: weights [B, n] and their entropy [B].
func (g *graph) attend(query, keys string) (attention, entropy string) {
	column := g.Op("Unsqueeze", query, g.axes(2)) // [1 or B, d, 1]
	scores := g.Op("Squeeze", g.Op("MatMul", keys, column), g.axes(2))
	scores = g.Op("Where", g.mask, scores, g.Constant("lowest", []float32{lowest}))
	attention = g.softmax("Softmax", scores, 1)
	logs := g.softmax("LogSoftmax", scores, 1)
	entropy = g.Op("Relu", g.Op("Neg", g.sum(g.Op("Mul", attention, logs), 1, false)))
	return attention, entropy
}

// weighted adds up the rows of each text by their weights: [B, n] and [B, n, d] to
// [B, d].
func (g *graph) weighted(weights, values string) string {
	row := g.Op("Unsqueeze", weights, g.axes(1)) // [B, 1, n]
	return g.Op("Squeeze", g.Op("MatMul", row, values), g.axes(1))
}

// activate applies the activation of that name.
func (g *graph) activate(name, x string) string {
	switch name {
	case "relu":
		return g.Op("Relu", x)
	case "tanh":
		return g.Op("Tanh", x)
	case "gelu": // x·σ(x·(p + q·x²)), see ops.GELU
		inner := g.Op("Add", g.Op("Mul", g.Op("Mul", x, x), g.Constant("gelu.q", []float32{ops.GELUQ})), g.Constant("gelu.p", []float32{ops.GELUP}))
		return g.Op("Mul", x, g.Op("Sigmoid", g.Op("Mul", x, inner)))
	}
	return x
}

// repeat gives each text of the batch the same array, whose first dimension of
// rank is 1.
func (g *graph) repeat(x string, rank int) string {
	shape := []string{g.size(g.Graph.Inputs[0].Name, 0)}
	for range rank - 1 {
		shape = append(shape, g.Constant("ones", []int64{1}, 1))
	}
	return g.Op("Expand", x, g.concat(0, shape...))
}

// size is one dimension of x, as a list of one.
func (g *graph) size(x string, axis int64) string {
	return g.With("Shape", []onnx.Attribute{{Name: "start", Value: axis}, {Name: "end", Value: axis + 1}}, x)
}

func (g *graph) concat(axis int64, x ...string) string {
	return g.With("Concat", []onnx.Attribute{{Name: "axis", Value: axis}}, x...)
}

// expand puts in new dimensions of 1.
func (g *graph) expand(x string, axes ...int) string {
	for _, a := range axes {
		x = g.Op("Unsqueeze", x, g.axes(a))
	}
	return x
}

// reshape is to dims; 0 keeps a dimension.
func (g *graph) reshape(x string, dims ...int) string {
	name, shape := "shape", make([]int64, len(dims))
	for i, d := range dims {
		name, shape[i] = fmt.Sprintf("%s.%d", name, d), int64(d)
	}
	return g.Op("Reshape", x, g.Constant(name, shape, len(dims)))
}

func (g *graph) softmax(op, x string, axis int64) string {
	return g.With(op, []onnx.Attribute{{Name: "axis", Value: axis}}, x)
}

func (g *graph) sum(x string, axis int, keep bool) string {
	dims := int64(0)
	if keep {
		dims = 1
	}
	return g.With("ReduceSum", []onnx.Attribute{{Name: "keepdims", Value: dims}}, x, g.axes(axis))
}

func (g *graph) cast(x string, to onnx.ElemType) string {
	return g.With("Cast", []onnx.Attribute{{Name: "to", Value: int64(to)}}, x)
}

func (g *graph) transpose(x string, order ...int64) string {
	return g.With("Transpose", []onnx.Attribute{{Name: "perm", Value: order}}, x)
}

// axes is a constant that names one dimension.
func (g *graph) axes(axis int) string {
	return g.Constant(fmt.Sprintf("axis.%d", axis), []int64{int64(axis)}, 1)
}
