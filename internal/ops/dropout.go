package ops

import (
	"fmt"

	"imdbexp/internal/simd"
)

// Dropout zeroes each element with probability p while training and scales the
// others by 1/(1−p) (Srivastava et al. 2014); otherwise it is x itself. The
// random choice depends on the seed's key, the name, the step, the review and the
// position in it, never on the batch's layout.
func Dropout(x *Node, name string, p float32) *Node {
	if !x.g.learning() || p == 0 {
		return x
	}
	k := &dropout{g: x.g, axis: x.axis, name: x.g.part + name, p: p}
	return x.g.apply("dropout", k, []*Node{x}, result{x.axis, x.cols})[0]
}

type dropout struct {
	trainingOnly
	g    *Graph
	axis Axis
	name string
	p    float32
	part []float32
}

// each calls f with the key of every row.
func (k *dropout) each(f func(row int, key uint64)) error {
	stream := simd.Key(k.g.seed, "dropout/"+k.name)
	if s, ok := k.axis.(*Seq); ok {
		return k.g.pool.For(s.reviews.Len(), func(b int) {
			lo, hi := s.Offsets[b], s.Offsets[b+1]
			for i := lo; i < hi; i++ {
				f(i, simd.Hash3(stream, k.g.step, uint64(k.g.reviews[b]), uint64(i-lo)))
			}
		})
	}
	for b := range k.axis.Len() {
		f(b, simd.Hash2(stream, k.g.step, uint64(k.g.reviews[b])))
	}
	return nil
}

func (k *dropout) forward(in, out []Mat) error {
	return k.each(func(i int, key uint64) { simd.Dropout(out[0].Row(i), in[0].Row(i), key, k.p) })
}

func (k *dropout) backward(_, _, dout []Mat, din []Grad) error {
	dx := din[0]
	to := dx.Mat
	if dx.Add {
		k.part = grown(k.part, len(dx.Data))
		to.Data = k.part
	}
	return k.each(func(i int, key uint64) {
		simd.Dropout(to.Row(i), dout[0].Row(i), key, k.p)
		if dx.Add {
			simd.Add(dx.Row(i), to.Row(i))
		}
	})
}

func (k *dropout) picture(s *Sketch, n *Node) drawn {
	return s.modify(n, n.src.inputs[0], fmt.Sprintf("dropout %g", k.p))
}
