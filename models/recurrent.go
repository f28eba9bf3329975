package models

import (
	"imdbexp/internal/ops"
)

// Recurrent is a layer that reads the words in order, and optionally a second one that reads
// them from the end.
type Recurrent struct {
	Cell
	Hidden        int  `key:"hidden" default:"50" min:"1" max:"4096" help:"width of the state, of each direction"`
	Bidirectional bool `key:"bidirectional" default:"true" help:"a second one reads from the end"`
}

// Cell computes a state from a word and the state before. The cell of Elman 1990 is
//
//	hᵢ = tanh(W·xᵢ + U·hᵢ₋₁ + b)
//
// Its gradient vanishes with the distance; the other cells have gates against that.
type Cell struct {
	Kind string `key:"cell" default:"lstm" choices:"lstm|gru|rnn" help:"recurrent cell: with gates (lstm, gru), or Elman's tanh(W·x + U·h + b)"`
}

// layer runs one layer in the given direction.
func (c Cell) layer(b *Builder, x *ops.Node, hidden int, reverse bool) (states, last *ops.Node) {
	name := c.Kind
	if reverse {
		name += ".back"
	}
	return map[string]func(string, *ops.Node, int, bool) (states, last *ops.Node){"lstm": b.LSTM, "gru": b.GRU, "rnn": b.RNN}[c.Kind](name, x, hidden, reverse)
}

// read returns the states [N, h] and the last one of each direction [B, h].
func (c Cell) read(b *Builder, x *ops.Node, hidden int, bidirectional bool) (states, last *ops.Node) {
	h, l := c.layer(b, x, hidden, false)
	if !bidirectional {
		return h, l
	}
	back, first := c.layer(b, x, hidden, true)
	return ops.Concat(h, back), ops.Concat(l, first)
}

// RNN is one layer of hidden width h with the weights NAME.Wx, NAME.Wh, NAME.b.
func (b *Builder) RNN(name string, x *ops.Node, h int, reverse bool) (states, last *ops.Node) {
	return ops.RNN(x, b.Weight(name+".Wx", x.Cols(), h, h), b.Weight(name+".Wh", h, h, h), b.Weight(name+".b", 1, h, h), reverse)
}

// GRU is one layer of hidden width h with the weights NAME.Wx, NAME.Wh, NAME.bx,
// NAME.bh.
func (b *Builder) GRU(name string, x *ops.Node, h int, reverse bool) (states, last *ops.Node) {
	wx, wh, bx, bh := b.GRUWeights(name, x.Cols(), h)
	return ops.GRU(x, wx, wh, bx, bh, reverse)
}

// GRUWeights returns the weights of GRU.
func (b *Builder) GRUWeights(name string, in, h int) (wx, wh, bx, bh *ops.Node) {
	return b.Weight(name+".Wx", in, 3*h, h), b.Weight(name+".Wh", h, 3*h, h), b.Weight(name+".bx", 1, 3*h, h), b.Weight(name+".bh", 1, 3*h, h)
}

// StateQuery chooses s, the query of attention over states.
type StateQuery struct {
	From string `key:"query" default:"last" choices:"last|mean|learned" help:"s: the last state, the mean of the states, or a learned vector"`
}

// choose returns s [B, h].
func (q *StateQuery) choose(b *Builder, states, last *ops.Node) *ops.Node {
	switch q.From {
	case "mean":
		last = ops.Mean(states)
	case "learned":
		last = ops.Expand(b.Weight("query", 1, states.Cols(), states.Cols()), last.Axis())
	}
	return last.Call("s")
}

// Regularised are the settings against overfitting of a recurrent network. Dropout is sampled
// for each element of each word (Srivastava et al. 2014).
type Regularised struct {
	InputDrop float64 `key:"input.dropout" min:"0" max:"0.95" help:"share of the words' vectors dropped"`
	StateDrop float64 `key:"state.dropout" min:"0" max:"0.95" needs:"pool=attention|mean pool.max=true" help:"share of the states dropped, after the recurrence"`
	Smoothing float64 `key:"label_smoothing" min:"0" max:"0.9" help:"share of the target that goes to all classes alike, in training"`
}
