package ops

import (
	"fmt"

	"imdbexp/internal/simd"
)

// Mask hides a share of the words, which the model then predicts (Devlin et al. 2019, section 3.1 and
// appendix A.1):
//
//	y_i = x_i,  of a hidden word: hidden (80 %), the vector of any word of the batch (10 %), or x_i (10 %)
//
// x is [N, d] and hidden [1, d]. Which words are hidden depends on the seed, the step, the review and the
// position.
func Mask(x, hidden *Node, share float32) *Node {
	words, ok := x.axis.(*Seq)
	if !ok || !rowVector(hidden, x.cols) || !(share > 0 && share < 1) {
		return x.g.fail("hide: %v of x [%s, %d] behind [%d, %d]: need a share below 1 of the words, and one vector of their width",
			share, kind(x.axis), x.cols, hidden.axis.Len(), hidden.cols)
	}
	return x.g.apply("hide", &hide{g: x.g, words: words, share: share}, []*Node{x, hidden}, result{words, x.cols})[0]
}

// hides reports whether a word is hidden.
func hides(g *Graph, share float32, review int32, position int) bool {
	return float64(hideKey(g, review, position)>>40) < float64(float64(share)*(1<<24))
}

func hideKey(g *Graph, review int32, position int) uint64 {
	return simd.Hash3(simd.Key(g.seed, "hide"), g.step, uint64(review), uint64(position))
}

type hide struct {
	trainingOnly
	g     *Graph
	words *Seq
	share float32
	from  []int32   // [N] the row that is read, −1 for hidden
	dh    []float32 // [d]
}

func (k *hide) forward(in, out []Mat) error {
	k.from = k.from[:0]
	for b, review := range k.g.reviews {
		for i := range k.words.length(b) {
			from := int32(len(k.from))
			if hides(k.g, k.share, review, i) {
				switch key := simd.Hash1(hideKey(k.g, review, i), 1); key >> 32 % 10 {
				default:
					from = -1
				case 8:
					from = int32(key % (1 << 32) % uint64(k.words.Len()))
				case 9:
				}
			}
			k.from = append(k.from, from)
		}
	}
	copyHidden(k.from, out[0], in)
	return nil
}

// exact uses the choices of the last run.
func (k *hide) exact(in, out []Mat64) error {
	copyHidden(k.from, out[0], in)
	return nil
}

// copyHidden sets the rows of y to the rows from of in[0], or to in[1] where from is −1.
func copyHidden[T any, M interface{ Row(int) []T }](from []int32, y M, in []M) {
	for i, row := range from {
		if row < 0 {
			copy(y.Row(i), in[1].Row(0))
		} else {
			copy(y.Row(i), in[0].Row(int(row)))
		}
	}
}

func (k *hide) backward(_, _, dout []Mat, din []Grad) error {
	dx, dy := din[0], dout[0]
	if dx.Wanted() && !dx.Add {
		clear(dx.Data)
	}
	k.dh = grown(k.dh, dy.Cols)
	clear(k.dh)
	for i, from := range k.from {
		if from < 0 {
			simd.Add(k.dh, dy.Row(i))
		} else if dx.Wanted() {
			simd.Add(dx.Row(int(from)), dy.Row(i))
		}
	}
	din[1].putAll(k.dh)
	return nil
}

func (k *hide) picture(s *Sketch, n *Node) drawn {
	return s.modify(n, n.src.inputs[0], fmt.Sprintf("%g of the words hidden", k.share))
}
