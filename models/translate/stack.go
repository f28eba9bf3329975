package translate

import (
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Stack is several layers of a recurrent cell.
type Stack struct {
	Hidden int `key:"hidden" default:"128" min:"1" max:"4096" help:"width of the states"`
	Layers int `key:"layers" default:"1" min:"1" max:"16" help:"recurrent layers of the encoder, and as many of the decoder"`
}

// dropout drops some of x; the name keys the random numbers.
type dropout func(x *ops.Node, name string) *ops.Node

// read runs the layers over x from the given states, or from 0 for nil. It returns the states
// of the uppermost layer [·, h] and the last states of all [B, h]: of each GRU one, of each
// LSTM h and c.
func (s *Stack) read(b *models.Builder, drop dropout, name, cell string, x *ops.Node, start []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	each := map[string]int{"lstm": 2, "gru": 1}[cell]
	for l := range s.Layers {
		layer := fmt.Sprintf("%s%d", name, l+1)
		x = drop(x, layer)
		var from, to []*ops.Node
		if start != nil {
			from = start[l*each:][:each]
		}
		if cell == "gru" {
			x, to = gruFrom(b, layer, x, s.Hidden, from, reverse)
		} else {
			x, to = lstmFrom(b, layer, x, s.Hidden, from, reverse)
		}
		last = append(last, to...)
	}
	return x, last
}

// lstmFrom is an LSTM that starts from h and c, or from 0, and returns the last ones.
func lstmFrom(b *models.Builder, name string, x *ops.Node, h int, from []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	var hn, cn *ops.Node
	wx, wh, bias := b.LSTMWeights(name, x.Cols(), h)
	if from == nil {
		states, hn, cn = ops.LSTMLast(x, wx, wh, bias, reverse)
	} else {
		states, hn, cn = ops.LSTMFrom(x, wx, wh, bias, from[0], from[1])
	}
	return states, []*ops.Node{hn, cn}
}

// gruFrom is a GRU that starts from h, or from 0.
func gruFrom(b *models.Builder, name string, x *ops.Node, h int, from []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	if from == nil {
		states, hn := b.GRU(name, x, h, reverse)
		return states, []*ops.Node{hn}
	}
	wx, wh, bx, bh := b.GRUWeights(name, x.Cols(), h)
	states, hn := ops.GRUFrom(x, wx, wh, bx, bh, from[0])
	return states, []*ops.Node{hn}
}
