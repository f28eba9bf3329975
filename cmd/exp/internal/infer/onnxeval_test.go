package infer_test

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/onnx"
)

// array is a tensor of an evaluated graph: whatever its elements are in the file,
// here they are float64, truth values 0 and 1.
type array struct {
	dims []int
	data []float64
}

// evaluate computes a graph as the standard defines its operators
// (github.com/onnx/onnx, docs/Operators.md), as plainly as can be. It is
// independent of the ops behind package models, and panics at what it does not
// know.
func evaluate(g *onnx.Graph, inputs ...[][]int32) map[string]array {
	env := map[string]array{"": {}}
	for _, c := range g.Constants {
		env[c.Name] = constant(c)
	}
	for i, ids := range inputs {
		in := array{dims: []int{len(ids), len(ids[0])}}
		for _, text := range ids {
			for _, id := range text {
				in.data = append(in.data, float64(id))
			}
		}
		env[g.Inputs[i].Name] = in
	}
	for _, n := range g.Nodes {
		var args []array
		for _, name := range n.Inputs {
			x, ok := env[name]
			if !ok {
				panic(n.Name + " reads " + name + ", which nobody has made yet")
			}
			args = append(args, x)
		}
		for i, y := range operator(n, args) {
			if i < len(n.Outputs) {
				env[n.Outputs[i]] = y
			}
		}
	}
	out := map[string]array{}
	for _, v := range g.Outputs {
		out[v.Name] = env[v.Name]
	}
	return out
}

func constant(t onnx.Tensor) array {
	var out array
	for _, d := range t.Dims {
		out.dims = append(out.dims, int(d))
	}
	switch d := t.Data.(type) {
	case []float32:
		for _, v := range d {
			out.data = append(out.data, float64(v))
		}
	case []int64:
		for _, v := range d {
			out.data = append(out.data, float64(v))
		}
	case []float64:
		out.data = d
	default:
		panic(fmt.Sprintf("%s is a %T", t.Name, t.Data))
	}
	return out
}

// attribute returns an attribute of a node, or its default.
func attribute[T any](n onnx.Node, name string, otherwise T) T {
	for _, a := range n.Attributes {
		if a.Name == name {
			return a.Value.(T)
		}
	}
	return otherwise
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var unary = map[string]func(float64) float64{
	"Identity": func(x float64) float64 { return x },
	"Cast":     func(x float64) float64 { return x }, // none here rounds
	"Neg":      func(x float64) float64 { return -x },
	"Relu":     func(x float64) float64 { return max(x, 0) },
	"Tanh":     math.Tanh,
	"Sigmoid":  sigmoid,
	"Sin":      math.Sin,
	"Cos":      math.Cos,
	"Sqrt":     math.Sqrt,
	"Log":      math.Log,
}

var binary = map[string]func(a, b float64) float64{
	"Add":            func(a, b float64) float64 { return a + b },
	"Sub":            func(a, b float64) float64 { return a - b },
	"Mul":            func(a, b float64) float64 { return a * b },
	"Div":            func(a, b float64) float64 { return a / b },
	"Max":            func(a, b float64) float64 { return max(a, b) },
	"Less":           func(a, b float64) float64 { return truth(a < b) },
	"GreaterOrEqual": func(a, b float64) float64 { return truth(a >= b) },
	"And":            func(a, b float64) float64 { return truth(a*b > 0) },
	"Or":             func(a, b float64) float64 { return truth(a+b > 0) },
}

func operator(n onnx.Node, x []array) []array {
	if f := unary[n.Op]; f != nil {
		return []array{broadcast(func(v []float64) float64 { return f(v[0]) }, x[0])}
	}
	if f := binary[n.Op]; f != nil {
		return []array{broadcast(func(v []float64) float64 { return f(v[0], v[1]) }, x...)}
	}
	switch n.Op {
	case "Where":
		return []array{broadcast(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, x...)}
	case "Shape":
		var out array
		for _, d := range x[0].dims[attribute(n, "start", int64(0)):attribute(n, "end", int64(len(x[0].dims)))] {
			out.data = append(out.data, float64(d))
		}
		out.dims = []int{len(out.data)}
		return []array{out}
	case "Range":
		var out array
		for v := x[0].data[0]; v < x[1].data[0]; v += x[2].data[0] {
			out.data = append(out.data, v)
		}
		out.dims = []int{len(out.data)}
		return []array{out}
	case "Gather": // rows
		width := len(x[0].data) / x[0].dims[0]
		out := array{dims: append(slices.Clone(x[1].dims), x[0].dims[1:]...)}
		for _, i := range x[1].data {
			out.data = append(out.data, x[0].data[int(i)*width:][:width]...)
		}
		return []array{out}
	case "Squeeze", "Unsqueeze", "Reshape":
		return []array{{dims: reshaped(n, x), data: x[0].data}}
	case "Transpose":
		return []array{transposed(x[0], attribute(n, "perm", []int64(nil)))}
	case "Expand":
		shape := array{data: x[1].data}
		for _, d := range shape.data {
			shape.dims = append(shape.dims, int(d))
		}
		shape.data = make([]float64, volume(shape.dims))
		return []array{broadcast(func(v []float64) float64 { return v[0] }, x[0], shape)}
	case "Slice": // one dimension, to its end
		axis := int(x[3].data[0])
		from := int(x[1].data[0])
		out := array{dims: slices.Clone(x[0].dims)}
		out.dims[axis] -= from
		each(out.dims, func(at []int) {
			at = slices.Clone(at)
			at[axis] += from
			out.data = append(out.data, x[0].data[offset(x[0].dims, at)])
		})
		return []array{out}
	case "LayerNormalization":
		return []array{layerNormalised(x[0], x[1], x[2], float64(attribute(n, "epsilon", float32(1e-5))))}
	case "Concat":
		return []array{concat(int(attribute(n, "axis", int64(0))), x)}
	case "ReduceSum":
		return []array{reduceSum(x[0], int(x[1].data[0]), attribute(n, "keepdims", int64(1)) == 1)}
	case "ReduceMax":
		return []array{reduce(x[0], int(attribute(n, "axes", []int64(nil))[0]), attribute(n, "keepdims", int64(1)) == 1, math.Inf(-1), math.Max)}
	case "Softmax", "LogSoftmax":
		return []array{softmaxed(x[0], int(attribute(n, "axis", int64(-1))), n.Op == "LogSoftmax")}
	case "MatMul":
		return []array{product(x[0], x[1])}
	case "LSTM":
		return recurrentReference(n, x, 4, lstmStep)
	case "RNN":
		return recurrentReference(n, x, 1, rnnStep)
	case "GRU":
		if attribute(n, "linear_before_reset", int64(0)) != 1 {
			panic("a GRU of another form")
		}
		return recurrentReference(n, x, 3, gruStep)
	}
	panic("no operator " + n.Op)
}
