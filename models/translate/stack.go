package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Stack is layers of a recurrent cell, one above the other.
type Stack struct {
	Hidden int `key:"hidden" default:"128" min:"1" max:"4096" help:"width of the states"`
	Layers int `key:"layers" default:"1" min:"1" max:"16" help:"recurrent layers of the encoder, and as many of the decoder"`
}

// read runs the layers over x from the given states, or from 0 for nil. It returns
// the states of the uppermost layer [·, h] and the last ones of all [B, h]: one a
// layer of GRUs; of LSTMs h and c.
func (s *Stack) read(b *Builder, m *Seq2Seq, name, cell string, x *ops.Node, start []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	each := map[string]int{"lstm": 2, "gru": 1}[cell]
	for l := range s.Layers {
		layer := fmt.Sprintf("%s%d", name, l+1)
		x = m.drop(x, layer)
		var from, to []*ops.Node
		if start != nil {
			from = start[l*each:][:each]
		}
		if cell == "gru" {
			x, to = b.gruFrom(layer, x, s.Hidden, from, reverse)
		} else {
			x, to = b.lstmFrom(layer, x, s.Hidden, from, reverse)
		}
		last = append(last, to...)
	}
	return x, last
}

// lstmFrom is LSTM that starts from h and c, or from 0, and returns its last ones.
func (b *Builder) lstmFrom(name string, x *ops.Node, h int, from []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	var hn, cn *ops.Node
	wx, wh, bias := b.lstmWeights(name, x.Cols(), h)
	if from == nil {
		states, hn, cn = ops.LSTMLast(x, wx, wh, bias, reverse)
	} else {
		states, hn, cn = ops.LSTMFrom(x, wx, wh, bias, from[0], from[1])
	}
	return states, []*ops.Node{hn, cn}
}

// gruFrom is GRU that starts from h, or from 0.
func (b *Builder) gruFrom(name string, x *ops.Node, h int, from []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	if from == nil {
		states, hn := b.GRU(name, x, h, reverse)
		return states, []*ops.Node{hn}
	}
	wx, wh, bx, bh := b.gruWeights(name, x.Cols(), h)
	states, hn := ops.GRUFrom(x, wx, wh, bx, bh, from[0])
	return states, []*ops.Node{hn}
}
