package models

import "imdbexp/internal/ops"

// Recurrent reads the words in order, and in the other direction too.
type Recurrent struct {
	Cell          string `key:"cell" default:"lstm" choices:"lstm|gru" help:"what reads the words"`
	Hidden        int    `key:"hidden" default:"50" min:"1" max:"4096" help:"width of the state, of each direction"`
	Bidirectional bool   `key:"bidirectional" default:"true" help:"a second one reads from the end"`
}

// cells are the names of recurrent cells in equations.
var cells = map[string]string{"lstm": "LSTM", "gru": "GRU"}

func (r *Recurrent) equation() string {
	cell := cells[r.Cell]
	if r.Bidirectional {
		return "hᵢ = [" + cell + "(xᵢ, hᵢ₋₁); " + cell + "'(xᵢ, h'ᵢ₊₁)]"
	}
	return "hᵢ = " + cell + "(xᵢ, hᵢ₋₁)"
}

// read returns the states [N, h] and the last one of each direction [B, h].
func (r *Recurrent) read(b *Builder, x *ops.Node) (states, last *ops.Node) {
	layer := b.LSTM
	if r.Cell == "gru" {
		layer = b.GRU
	}
	h, l := layer(r.Cell, x, r.Hidden, false)
	if !r.Bidirectional {
		return h, l
	}
	back, first := layer(r.Cell+".back", x, r.Hidden, true)
	return ops.Concat(h, back), ops.Concat(l, first)
}

// GRU is one layer of hidden width h with the weights NAME.Wx, NAME.Wh, NAME.bx,
// NAME.bh.
func (b *Builder) GRU(name string, x *ops.Node, h int, reverse bool) (states, last *ops.Node) {
	wx, wh, bx, bh := b.gruWeights(name, x.Cols(), h)
	return ops.GRU(x, wx, wh, bx, bh, reverse)
}

func (b *Builder) gruWeights(name string, in, h int) (wx, wh, bx, bh *ops.Node) {
	return b.Weight(name+".Wx", in, 3*h, h), b.Weight(name+".Wh", h, 3*h, h), b.Weight(name+".bx", 1, 3*h, h), b.Weight(name+".bh", 1, 3*h, h)
}

// StateQuery chooses s, from which attention over states looks.
type StateQuery struct {
	From string `key:"query" default:"last" choices:"last|mean|learned" help:"s: the last state, the mean of the states, or a learned vector"`
}

func (q *StateQuery) equation() string {
	switch q.From {
	case "mean":
		return "s = (1/n) Σᵢ hᵢ"
	case "learned":
		return "s is learned"
	}
	return "s = the last state"
}

// choose returns s [B, h].
func (q *StateQuery) choose(b *Builder, states, last *ops.Node) *ops.Node {
	switch q.From {
	case "mean":
		last = ops.Mean(states)
	case "learned":
		last = ops.Spread(b.Weight("query", 1, states.Cols(), states.Cols()), last.Axis())
	}
	return last.Call("s")
}
