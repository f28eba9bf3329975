package infer

import (
	"fmt"

	"imdbexp/internal/onnx"
	"imdbexp/models"
)

// cell is a recurrent layer: the operator and how its weights lie there.
type cell struct {
	op         string
	gates      []int    // of ours in the operator's order
	biases     []string // names of the two bias vectors, of the inputs and of the states; "" is zeros
	attributes []onnx.Attribute
}

var cells = map[string]cell{
	// ONNX wants i, o, f, g; here the gates lie in PyTorch's order i, f, g, o.
	"lstm": {"LSTM", []int{0, 3, 1, 2}, []string{".b", ""}, nil},
	// ONNX wants z, r, n; here r, z, n. The reset gate is applied behind the product.
	"gru": {"GRU", []int{1, 0, 2}, []string{".bx", ".bh"}, []onnx.Attribute{{Name: "linear_before_reset", Value: int64(1)}}},
}

// recurrent reads the words: the states [B, n, h], 0 at the padding, and the last
// state read [B, h]; of two directions side by side.
func (g *graph) recurrent(kind string, bidirectional bool) (states, last string) {
	names, direction := []string{kind}, "forward"
	if bidirectional {
		names, direction = append(names, kind+".back"), "bidirectional"
	}
	var wx, wh, b []float32
	c, in, hidden := cells[kind], 0, 0
	k := len(c.gates)
	for _, name := range names {
		var x, h []float32
		var cols int
		x, in, cols = g.find(name + ".Wx")
		h, hidden, _ = g.find(name + ".Wh")
		if g.err == nil && (cols != k*hidden || len(h) != k*hidden*hidden) {
			g.fail(fmt.Errorf("the weights of %s have %d and %d numbers: not those of one layer", name, len(x), len(h)))
		}
		if g.err != nil {
			return "", ""
		}
		wx, wh = append(wx, gateRows(x, in, c.gates)...), append(wh, gateRows(h, hidden, c.gates)...)
		for _, suffix := range c.biases {
			bias := make([]float32, k*hidden)
			if suffix != "" {
				bias = g.vector(name+suffix, k*hidden)
			}
			b = append(b, gateRows(bias, 1, c.gates)...)
		}
	}
	n := len(names)
	results := g.Several(c.op, 2, append([]onnx.Attribute{{Name: "hidden_size", Value: int64(hidden)}, {Name: "direction", Value: direction}}, c.attributes...),
		g.transpose(g.words, 1, 0, 2), // [n, B, d]
		g.Constant(kind+".W", wx, n, k*hidden, in), g.Constant(kind+".R", wh, n, k*hidden, hidden), g.Constant(kind+".B", b, n, 2*k*hidden),
		g.Op("Squeeze", g.cast(g.lengths, onnx.Int32), g.axes(1)))
	states = g.reshape(g.transpose(results[0], 2, 0, 1, 3), 0, 0, n*hidden) // [n, directions, B, h]
	last = g.reshape(g.transpose(results[1], 1, 0, 2), 0, n*hidden)         // [directions, B, h]
	return states, last
}

// gateRows turns a matrix [in, gates·h] of gates side by side into [gates·h, in],
// its gates in another order.
func gateRows(m []float32, in int, order []int) []float32 {
	if in == 0 {
		return nil
	}
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

// tme9LSTM is models.LSTM.
func (g *graph) tme9LSTM(m *models.LSTM) output {
	states, last := g.recurrent("lstm", m.Bidirectional) // [B, n, h], [B, h]
	switch m.Pool {
	case "last":
		return output{logits: g.classify(m.Head, last)}
	case "mean":
		return output{logits: g.classify(m.Head, g.mean(states))}
	}
	keys := states
	if m.ValuesOnly {
		keys = g.words
	}
	a, h := g.attend(g.query(keys), keys)
	return output{g.classify(m.Head, g.values(m.Value, a, states)), a, h}
}

// choose returns s [B, h], from which attention over states looks.
func (g *graph) choose(q models.StateQuery, states, last string) string {
	switch q.From {
	case "mean":
		return g.mean(states)
	case "learned":
		return g.repeat(g.weight("query"), 2)
	}
	return last
}

// additive is models.Additive.
func (g *graph) additive(m *models.Additive) output {
	states, last := g.recurrent(m.Cell, m.Bidirectional)
	a, h := g.additiveScores(states, g.choose(m.StateQuery, states, last), m.Form)
	return output{g.classify(m.Head, g.weighted(a, states)), a, h}
}

// additiveScores compares every state [B, n, h] with s [B, h].
func (g *graph) additiveScores(states, s, form string) (attention, entropy string) {
	s = g.Op("Unsqueeze", s, g.axes(1)) // [B, 1, h]
	var z string
	if form == "concat" { // W·[h; s]: the rows of W for s come behind those for h
		w, rows, cols := g.find("attention.W.W")
		half := len(w) / 2
		z = g.Op("Add", g.Op("MatMul", states, g.Constant("attention.W1", w[:half], rows/2, cols)),
			g.Op("MatMul", s, g.Constant("attention.W2", w[half:], rows/2, cols)))
		z = g.Op("Add", z, g.weight("attention.W.b"))
	} else {
		z = g.Op("Add", g.Op("MatMul", states, g.weight("attention.W1")), g.weight("attention.b"))
		z = g.Op("Add", z, g.Op("MatMul", s, g.weight("attention.W2")))
	}
	return g.attend(g.weight("attention.v"), g.Op("Tanh", z))
}

// luong is models.Luong.
func (g *graph) luong(m *models.Luong) output {
	states, last := g.recurrent(m.Cell, m.Bidirectional)
	s := g.choose(m.StateQuery, states, last)
	var a, h string
	switch m.Score {
	case "concat":
		a, h = g.additiveScores(states, s, "concat")
	case "general":
		a, h = g.attend(g.Op("MatMul", s, g.weight("attention.W")), states)
	default:
		a, h = g.attend(s, states)
	}
	both := g.concat(1, g.weighted(a, states), s)
	t := g.Op("Tanh", g.linear("context", both))
	return output{g.classify(m.Head, t), a, h}
}
