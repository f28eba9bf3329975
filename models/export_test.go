package models

import "imdbexp/internal/ops"

// Predicted returns the likeliest word of each target row [M].
func (n *Network) Predicted() []float32 { return n.out.Rows.Predicted.Mat().Data }

// Search runs a beam search whose scores follow from the words so far.
func Search(words int, o DecodeOptions, scores func(prefix []int32) []float32) (Translation, error) {
	s := newSearch(words, o)
	for len(s.live) > 0 {
		live := append([]hypothesis(nil), s.live...)
		err := s.extend(func(i int) []float32 {
			var prefix []int32
			for l := live[i].last; l != nil; l = l.before {
				prefix = append([]int32{l.word}, prefix...)
			}
			return scores(prefix)
		})
		if err != nil {
			return Translation{}, err
		}
	}
	return s.translation(), nil
}

// States returns the words' vectors after the last layer of self-attention [N, d].
func (n *Network) States() ops.Mat { return n.out.Words.Mat() }

// Looks returns the weights of a translator's attentions in a pair of the last batch.
func (n *Network) Looks(pair int) (Looks, error) {
	f := Forced{Source: n.g.Words(), Target: n.g.Targets(), Layers: n.out.Layers, Encoder: n.out.Encoder, Decoder: n.out.Decoder}
	return f.Looks(pair)
}

// InOrder has the network run as in a browser from now on.
func (n *Network) InOrder() error { return n.machine.InOrder() }

// Gradients returns those of the weights and, where these are trained, of the words' vectors.
func (n *Network) Gradients() (out []ops.Mat) {
	for _, of := range n.grads {
		out = append(out, of())
	}
	if n.rowGrad != nil {
		out = append(out, n.rowGrad())
	}
	return out
}
