package translate

import (
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// Predicted returns the likeliest word of each target row [M].
func Predicted(n *models.Network) []float32 {
	return n.Output().Objective.(*words).Predicted.Mat().Data
}

// AlignmentOf returns the weights of attention in a pair of the network's last batch.
func AlignmentOf(n *models.Network, pair, rows, words int) ([][]ops.Mat, error) {
	return alignment(n.Output().Layers, pair, rows, words)
}

// Force runs the graph of teacher forcing. It returns its scores and the entropies of its attention.
func (d *Decoder) Force(b *ragged.Batch) (scores, entropies *ops.Node, err error) {
	f, err := d.force()
	if err != nil {
		return nil, nil, err
	}
	return f.scores, f.out.Entropies[0], f.machine.Run(b, 0)
}

// Search runs a beam search whose scores depend only on the words so far.
func Search(words int, o Options, scores func(prefix []int32) []float32) (Translation, error) {
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
	return *s.best, nil
}

// Nodes returns the results of a translator's graph.
func Nodes(n *models.Network) []*ops.Node {
	o := n.Output().Objective.(*words)
	return slices.Concat([]*ops.Node{o.Mean, o.Each, o.Predicted}, n.Output().Layers)
}
