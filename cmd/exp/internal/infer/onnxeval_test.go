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

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// gates gives the two parts of a gate's pre-activation: from the inputs and from the
// state, each with its bias.
type gates func(gate, unit int) (input, state float64)

// lstmStep has the gates i, o, f, c.
func lstmStep(sum gates, unit int, _ float64, cell *float64) float64 {
	of := func(gate int) float64 { a, b := sum(gate, unit); return a + b }
	*cell = sigmoid(of(2))**cell + sigmoid(of(0))*math.Tanh(of(3))
	return sigmoid(of(1)) * math.Tanh(*cell)
}

// rnnStep has no gates.
func rnnStep(sum gates, unit int, _ float64, _ *float64) float64 {
	input, state := sum(0, unit)
	return math.Tanh(input + state)
}

// gruStep has the gates z, r, h, the reset gate behind the product.
func gruStep(sum gates, unit int, before float64, _ *float64) float64 {
	of := func(gate int) float64 { a, b := sum(gate, unit); return sigmoid(a + b) }
	input, state := sum(2, unit)
	z := of(0)
	return (1-z)*math.Tanh(input+of(1)*state) + z*before
}

// recurrentReference is the operators RNN, LSTM and GRU: X [n, B, d], W [D, k·h, d],
// R [D, k·h, h], B [D, 2k·h], the lengths [B], and the first states and cells [D, B, h]
// where they are not zeros; Y [n, D, B, h], Y_h and Y_c [D, B, h].
func recurrentReference(n onnx.Node, x []array, k int, step func(sum gates, unit int, before float64, cell *float64) float64) []array {
	steps, batch, d := x[0].dims[0], x[0].dims[1], x[0].dims[2]
	directions, h := x[1].dims[0], int(attribute(n, "hidden_size", int64(0)))
	y := array{dims: []int{steps, directions, batch, h}, data: make([]float64, steps*directions*batch*h)}
	last := array{dims: []int{directions, batch, h}, data: make([]float64, directions*batch*h)}
	cells := array{dims: last.dims, data: make([]float64, directions*batch*h)}
	for dir := range directions {
		w, r, bias := x[1].data[dir*k*h*d:], x[2].data[dir*k*h*h:], x[3].data[dir*2*k*h:]
		for b := range batch {
			length := int(x[4].data[b])
			hidden, cell := make([]float64, h), make([]float64, h)
			for i, start := range x[5:] {
				copy([][]float64{hidden, cell}[i], start.data[(dir*batch+b)*h:][:h])
			}
			for t := range length {
				at := t
				if dir == 1 || attribute(n, "direction", "forward") == "reverse" {
					at = length - 1 - t
				}
				in := x[0].data[(at*batch+b)*d:][:d]
				sum := func(gate, unit int) (input, state float64) {
					row := gate*h + unit
					input, state = bias[row], bias[k*h+row]
					for i, v := range in {
						input += w[row*d+i] * v
					}
					for i, v := range hidden {
						state += r[row*h+i] * v
					}
					return input, state
				}
				next := make([]float64, h)
				for j := range h {
					next[j] = step(sum, j, hidden[j], &cell[j])
				}
				hidden = next
				copy(y.data[((at*directions+dir)*batch+b)*h:], hidden)
			}
			copy(last.data[(dir*batch+b)*h:], hidden)
			copy(cells.data[(dir*batch+b)*h:], cell)
		}
	}
	return []array{y, last, cells}
}
