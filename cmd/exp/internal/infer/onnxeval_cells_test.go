package infer_test

import (
	"math"

	"imdbexp/internal/onnx"
)

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
