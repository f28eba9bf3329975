package ops

import (
	"fmt"

	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// AddPositions adds to each word a learned row for its position in its review
// (Gehring et al. 2017):
//
//	yᵢ = xᵢ + P[start+i]
//
// x is [N, d], the table P [max, d]; start is 0, on Targets Batch.TargetStart. Running the
// graph on a review longer than the table is an error.
func AddPositions(x, table *Node) *Node {
	s, ok := x.axis.(*Seq)
	if !ok || table.cols != x.cols {
		return x.g.fail("positions: x [·, %d] needs one row a word, the table is [%d, %d]", x.cols, table.axis.Len(), table.cols)
	}
	k := &addPositions{onWords{x.g, s}}
	return x.g.apply("positions", k, []*Node{x, table}, result{s, x.cols})[0]
}

type addPositions struct{ onWords }

func (k *addPositions) forward(in, out []Mat) error {
	x, table, y := in[0], in[1], out[0]
	if n := k.seq.start + k.seq.longest; n > table.Rows {
		return fmt.Errorf("a review needs %d positions, but %d were learned (positions.max): "+
			"use positions=sinusoid, which has no maximum, train with positions.max=%d, or cut reviews with data.max_len",
			n, table.Rows, n)
	}
	return k.each(func(_, _, lo, hi int) {
		rows := y.Range(lo, hi)
		copy(rows, x.Range(lo, hi))
		simd.Add(rows, table.Range(k.seq.start, k.seq.start+hi-lo))
	})
}

func (k *addPositions) exact(in, out []Mat64) error {
	for b, lo := range k.seq.Offsets[:k.seq.reviews.Len()] {
		for i := range k.seq.length(b) {
			exactAdd(out[0].Row(lo+i), in[0].Row(lo+i))
			exactAdd(out[0].Row(lo+i), in[1].Row(k.seq.start+i))
		}
	}
	return nil
}

// positionBlock is the number of positions whose gradient one task sums.
const positionBlock = 64

// The gradient of a position is the sum over the reviews that reach it, in their
// order.
func (k *addPositions) backward(in, _, dout []Mat, din []Grad) error {
	dy, dt, start := dout[0], din[1], k.seq.start
	if err := passOn(k.g, dy, din[0]); err != nil || !dt.Wanted() {
		return err
	}
	blocks := (dt.Rows + positionBlock - 1) / positionBlock
	return k.g.pool.For(blocks, func(block int) {
		from := block * positionBlock
		to := min(from+positionBlock, dt.Rows)
		if !dt.Add {
			clear(dt.Range(from, to))
		}
		for b, lo := range k.seq.Offsets[:k.seq.reviews.Len()] {
			if first, end := max(start, from), min(start+k.seq.length(b), to); end > first {
				simd.Add(dt.Range(first, end), dy.Range(lo+first-start, lo+end-start))
			}
		}
	})
}

// onnx adds a Gather, which fails beyond the last learned position.
func (k *addPositions) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.Op("Add", x.Name(in[0]), x.Op("Gather", x.Name(in[1]), x.places(k.seq).at))}, nil
}

func (k *addPositions) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	p := s.box(diagram.Weight("learned pᵢ"))
	return s.named(n, x.symbol, []string{x.symbol + "ᵢ + pᵢ"}, diagram.Edge{From: p}, diagram.Edge{From: x.vertex})
}
