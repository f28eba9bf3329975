package ops

import (
	"fmt"

	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// Embed looks the batch's words up in a trained table:
//
//	y_i = w[id_i]
//
// w is [V, e]; the ids are Batch.IDs on Words and Batch.TargetIn on Targets.
// The result is [rows, e]. An id outside the table is an error when
// the graph runs. The gradient is dense [V, e]: each row is the sum over the word's
// positions in the batch, in their order, and zero for words that do not occur.
func Embed(w *Node, axis *Seq) *Node {
	g := w.g
	if axis != g.words && axis != g.pairs.targets || !isWeight(w) {
		return g.fail("embed: needs a weight [V, e], and the axis of words or of targets")
	}
	return g.apply("embed", &embed{g: g, axis: axis}, []*Node{w}, result{axis, w.cols})[0]
}

type embed struct {
	g    *Graph
	axis *Seq
	// The positions of word v are order[starts[v]] … order[starts[v+1]], ascending.
	order, starts []int32
}

// ids returns the words of the batch on the op's axis.
func (k *embed) ids() []int32 {
	if k.axis == k.g.pairs.targets {
		return k.g.pairs.in
	}
	return k.g.ids
}

func (k *embed) forward(in, out []Mat) error {
	w, ids := in[0], k.ids()
	if len(ids) != k.axis.Len() {
		return fmt.Errorf("%d words for %d rows", len(ids), k.axis.Len())
	}
	for i, id := range ids {
		if uint(id) >= uint(w.Rows) {
			return fmt.Errorf("word %d of the batch is row %d of a table of %d", i, id, w.Rows)
		}
	}
	return k.g.pool.rowwise(len(ids), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(out[0].Row(i), w.Row(int(ids[i])))
		}
	})
}

func (k *embed) exact(in, out []Mat64) error {
	for i, id := range k.ids() {
		copy(out[0].Row(i), in[0].Row(int(id)))
	}
	return nil
}

// sort groups the positions by word (a counting sort).
func (k *embed) sort(words int) {
	ids := k.ids()
	k.order, k.starts = grown(k.order, len(ids)), grown(k.starts, words+1)
	clear(k.starts)
	for _, id := range ids {
		k.starts[id+1]++
	}
	for v := range words {
		k.starts[v+1] += k.starts[v]
	}
	for i, id := range ids {
		k.order[k.starts[id]] = int32(i)
		k.starts[id]++
	}
	copy(k.starts[1:], k.starts) // each start has moved to the end of its word
	k.starts[0] = 0
}

func (k *embed) backward(_, _, dout []Mat, din []Grad) error {
	dw, dy := din[0], dout[0]
	if !dw.Wanted() {
		return nil
	}
	k.sort(dw.Rows)
	blocks := (dw.Rows + vocabularyBlock - 1) / vocabularyBlock
	return k.g.pool.For(blocks, func(block int) {
		lo, hi := block*vocabularyBlock, min((block+1)*vocabularyBlock, dw.Rows)
		if !dw.Add {
			simd.SegmentSums(dw.Range(lo, hi), dy.Data, dy.Cols, k.order, k.starts[lo:hi+1])
			return
		}
		for v := lo; v < hi; v++ {
			for _, i := range k.order[k.starts[v]:k.starts[v+1]] {
				simd.Add(dw.Row(v), dy.Row(int(i)))
			}
		}
	})
}

// picture draws the target words of a translation at the side.
func (k *embed) picture(s *Sketch, n *Node) drawn {
	if !onTarget(n) {
		return s.words("source x₁ … xₙ")
	}
	d := drawn{symbol: s.symbol(n.src.inputs[0], "E") + "·yₜ₋₁"}
	d.vertex = s.box(diagram.Weight(d.symbol))
	d.vertex.Name = "yₜ₋₁"
	return d
}

func (k *embed) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.Op("Gather", x.Name(in[0]), x.places(k.axis).ids)}, nil
}
