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

// read runs the layers over x from the given states, or from 0 for nil, with some of their inputs
// dropped. It returns the states of the uppermost layer [·, h] and the last states of all [B, h]: of
// each GRU one, of each LSTM h and c.
func (s *Stack) read(b *models.Builder, m *Settings, name, cell string, x *ops.Node, start []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	h := s.Hidden
	for l := range s.Layers {
		layer := fmt.Sprintf("%s%d", name, l+1)
		x = m.drop(x, layer)
		var hn, cn *ops.Node
		switch {
		case cell == "gru" && start == nil:
			x, hn = b.GRU(layer, x, h, reverse)
		case cell == "gru":
			wx, wh, bx, bh := b.GRUWeights(layer, x.Cols(), h)
			x, hn = ops.GRUFrom(x, wx, wh, bx, bh, start[l])
		case start == nil:
			wx, wh, bias := b.LSTMWeights(layer, x.Cols(), h)
			x, hn, cn = ops.LSTMLast(x, wx, wh, bias, reverse)
		default:
			wx, wh, bias := b.LSTMWeights(layer, x.Cols(), h)
			x, hn, cn = ops.LSTMFrom(x, wx, wh, bias, start[2*l], start[2*l+1])
		}
		if last = append(last, hn); cn != nil {
			last = append(last, cn)
		}
	}
	return x, last
}
