package ops

import (
	"fmt"
	"math"
	"strconv"

	"imdbexp/internal/simd"
)

// element is a function of single numbers.
type element struct {
	name  string
	sign  string // the factor in equations, for Scale
	f     func(y, x []float32)
	grad  func(dx, x, y, dy []float32) // sets dx from x, y and dy
	exact func(x float64) float64
	onnx  func(x *Export, name string) string
}

// operator returns an onnx function that adds the named operator.
func operator(name string) func(*Export, string) string {
	return func(x *Export, in string) string { return x.Op(name, in) }
}

// ReLU is max(x, 0), element by element, on any axis.
func ReLU(x *Node) *Node { return elementwise(x, relu) }

var relu = element{
	name:  "relu",
	f:     simd.ReLU,
	grad:  func(dx, _, y, dy []float32) { simd.ReLUGrad(dx, y, dy) },
	exact: func(x float64) float64 { return max(x, 0) },
	onnx:  operator("Relu"),
}

// Tanh is the hyperbolic tangent, element by element, on any axis.
func Tanh(x *Node) *Node { return elementwise(x, tanh) }

var tanh = element{
	name: "tanh",
	f:    simd.Tanh,
	grad: func(dx, _, y, dy []float32) {
		for i, v := range y {
			dx[i] = dy[i] * (1 - float32(v*v))
		}
	},
	exact: math.Tanh,
	onnx:  operator("Tanh"),
}

// Sigmoid is the logistic function 1/(1+e⁻ˣ), element by element, on any axis.
func Sigmoid(x *Node) *Node { return elementwise(x, sigmoid) }

var sigmoid = element{
	name: "sigmoid",
	f:    simd.Sigmoid,
	grad: func(dx, _, y, dy []float32) {
		for i, v := range y {
			dx[i] = dy[i] * float32(v*(1-v))
		}
	},
	exact: exactSigmoid,
	onnx:  operator("Sigmoid"),
}

// Scale is c·x, element by element, on any axis.
func Scale(x *Node, c float32) *Node {
	times := func(y, x []float32) {
		copy(y, x)
		simd.Scale(y, c)
	}
	return elementwise(x, element{
		name:  "scale",
		sign:  factor(c),
		f:     times,
		grad:  func(dx, _, _, dy []float32) { times(dx, dy) },
		exact: func(x float64) float64 { return float64(c) * x },
		onnx: func(x *Export, in string) string {
			return x.Op("Mul", in, x.number(fmt.Sprintf("scale.%g", c), float64(c)))
		},
	})
}

// factor formats c for equations: as a square root if c² is a whole number.
func factor(c float32) string {
	square := float64(c) * float64(c)
	if whole := math.Round(square); math.Abs(square-whole) < 1e-4*whole {
		if whole >= planned {
			return "√d"
		}
		return "√" + strconv.Itoa(int(whole))
	}
	return strconv.FormatFloat(float64(c), 'g', 4, 32)
}

// elementwise adds an op y = f(x).
func elementwise(x *Node, e element) *Node {
	k := &elements{element: e, g: x.g}
	return x.g.apply(e.name, k, []*Node{x}, result{x.axis, x.cols})[0]
}

type elements struct {
	element
	g    *Graph
	part []float32
}

func (k *elements) forward(in, out []Mat) error {
	return k.g.pool.rowwise(out[0].Rows, func(lo, hi int) { k.f(out[0].Range(lo, hi), in[0].Range(lo, hi)) })
}

func (k *elements) exact(in, out []Mat64) error {
	for i, v := range in[0].Data {
		out[0].Data[i] = k.element.exact(v)
	}
	return nil
}

func (k *elements) backward(in, out, dout []Mat, din []Grad) error {
	dx := din[0]
	to := dx.Mat
	if dx.Add { // kernels of one element overwrite
		k.part = grown(k.part, len(dx.Data))
		to.Data = k.part
	}
	return k.g.pool.rowwise(dout[0].Rows, func(lo, hi int) {
		k.grad(to.Range(lo, hi), in[0].Range(lo, hi), out[0].Range(lo, hi), dout[0].Range(lo, hi))
		if dx.Add {
			simd.Add(dx.Range(lo, hi), to.Range(lo, hi))
		}
	})
}

func (k *elements) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{k.element.onnx(x, x.Name(in[0]))}, nil
}

// functions maps elementwise ops to their names in equations.
var functions = map[string]string{"relu": "ReLU", "tanh": "tanh", "sigmoid": "sigmoid", "gelu": "GELU"}

func (k *elements) term(e *equation, n *Node) string {
	in := n.src.inputs[0]
	if f := functions[k.name]; f != "" {
		inner := e.of(in, "linear", "add", "add review", "concat")
		if e.bias != "" {
			inner, e.bias = inner+" + "+e.bias, ""
		}
		return f + "(" + inner + ")"
	}
	return k.sign + "·" + e.of(in, "linear")
}

// picture adds the function to the box of its input if that already has a symbol.
func (k *elements) picture(s *Sketch, n *Node) drawn {
	if in := n.src.inputs[0].shown(); in.symbol != "" && n.symbol == "" && s.readers[in] == 1 {
		return s.modify(n, in, functions[k.name]+" on "+in.symbol+slip(n))
	}
	e := s.defining(n)
	text, symbol := k.term(e, n), "…"
	if k.sign != "" { // longer, but the same
		symbol = s.node(n.src.inputs[0]).symbol
	}
	return s.named(n, symbol, e.lines(n, text), e.edges...)
}
