package ops

import (
	"math"

	"imdbexp/internal/diagram"
	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// PositionLayout is the order of the sines and cosines in the encoding of a position.
type PositionLayout int

// The layouts. Positions i are counted from 0, columns from 0 to d−1.
const (
	// Interleaved is the layout of Vaswani et al. 2017, 3.5:
	//
	//	PE[i, 2j] = sin(i / base^(2j/d))    PE[i, 2j+1] = cos(i / base^(2j/d))
	Interleaved PositionLayout = iota
	// Halves is the layout of their code (Tensor2Tensor, get_timing_signal_1d),
	// with m = ⌊d/2⌋ and 0 in the last column of an odd d:
	//
	//	PE[i, j] = sin(i / base^(j/(m−1)))    PE[i, m+j] = cos(i / base^(j/(m−1)))    j < m
	Halves
)

// Wave is one pair of columns of a position encoding: the sine and the
// cosine of Speed times the position.
type Wave struct {
	Speed    float64 // radians a position
	Sin, Cos int     // columns; Cos is d in the last wave of an odd d, which has no cosine
}

// Waves returns the waves of an encoding of width d.
func (l PositionLayout) Waves(d int, base float64) []Wave {
	pairs, last := (d+1)/2, float64(d)/2
	if l == Halves {
		pairs = d / 2
		last = max(float64(pairs-1), 1)
	}
	waves := make([]Wave, pairs)
	for j := range waves {
		waves[j] = Wave{simd.Exp64(float64(-float64(j) / last * simd.Log64(base))), 2 * j, 2*j + 1}
		if l == Halves {
			waves[j].Sin, waves[j].Cos = j, pairs+j
		}
	}
	return waves
}

// PositionEncoding sets dst [d] to the encoding of position pos, computed in
// float64 and rounded once. The paper's base is 10000.
func PositionEncoding(dst []float32, pos, d int, base float64, layout PositionLayout) {
	encodePosition(dst[:d], pos, layout.Waves(d, base))
}

func encodePosition(dst []float32, pos int, waves []Wave) {
	clear(dst)
	for _, w := range waves {
		angle := float64(pos) * w.Speed
		dst[w.Sin] = float32(simd.Sin64(angle))
		if w.Cos < len(dst) {
			dst[w.Cos] = float32(simd.Cos64(angle))
		}
	}
}

// Sinusoid adds to each word the encoding of its position in its review. It has no weights
// and no maximum length:
//
//	yᵢ = xᵢ + PE[start+i]
//
// x is [N, d] on any token axis; the token of Prepend has position 0. start is 0, on
// Targets Batch.TargetStart.
func Sinusoid(x *Node, base float64, layout PositionLayout) *Node {
	k := &sinusoid{onWords: x.words("sinusoid"), base: base, layout: layout}
	if base <= 1 {
		return x.g.fail("sinusoid: a base of %v, but it must be above 1", base)
	}
	return x.g.apply("sinusoid", k, []*Node{x}, result{k.seq, x.cols})[0]
}

type sinusoid struct {
	onWords
	base   float64
	layout PositionLayout
	table  []float32 // [longest so far, d]
}

// grow computes the encodings of the positions below n that are still missing.
func (k *sinusoid) grow(n, d int) error {
	have := len(k.table) / d
	if n <= have {
		return nil
	}
	n += n / 2
	table := make([]float32, n*d)
	copy(table, k.table)
	k.table = table
	waves := k.layout.Waves(d, k.base)
	return k.g.pool.For(n-have, func(i int) {
		pos := have + i
		encodePosition(table[pos*d:][:d], pos, waves)
	})
}

func (k *sinusoid) forward(in, out []Mat) error {
	x, y := in[0], out[0]
	if err := k.grow(k.seq.start+k.seq.longest, x.Cols); err != nil {
		return err
	}
	return k.each(func(_, _, lo, hi int) {
		rows := y.Range(lo, hi)
		copy(rows, x.Range(lo, hi))
		simd.Add(rows, k.table[k.seq.start*x.Cols:][:len(rows)])
	})
}

func (k *sinusoid) exact(in, out []Mat64) error {
	return k.encodings(func(i, pos int, waves []Wave) {
		y := out[0].Row(i)
		exactPosition(y, pos, waves)
		exactAdd(y, in[0].Row(i))
	}, in[0].Cols)
}

// encodings calls f for each row with its position and the waves of an encoding of the width.
func (k *sinusoid) encodings(f func(row, pos int, waves []Wave), width int) error {
	waves := k.layout.Waves(width, k.base)
	for b, lo := range k.seq.Offsets[:k.seq.reviews.Len()] {
		for i := range k.seq.length(b) {
			f(lo+i, k.seq.start+i, waves)
		}
	}
	return nil
}

// exactPosition sets y to the encoding of a position.
func exactPosition(y []float64, pos int, waves []Wave) {
	for _, w := range waves {
		angle := float64(pos) * w.Speed
		y[w.Sin] = math.Sin(angle)
		if w.Cos < len(y) {
			y[w.Cos] = math.Cos(angle)
		}
	}
}

func (k *sinusoid) backward(_, _, dout []Mat, din []Grad) error {
	return passOn(k.g, dout[0], din[0])
}

func (k *sinusoid) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.Op("Add", x.Name(in[0]), k.exported(x, in[0].cols))}, nil
}

// exported returns the encodings of all positions [n, d]. They are computed in float64: a
// float32 has too few digits for the angle of a late one.
func (k *sinusoid) exported(x *Export, d int) string {
	speeds, phases := make([]float64, d), make([]float64, d)
	for _, w := range k.layout.Waves(d, k.base) {
		speeds[w.Sin] = w.Speed
		if w.Cos < d {
			speeds[w.Cos], phases[w.Cos] = w.Speed, math.Pi/2 // cos(x) = sin(x + π/2)
		}
	}
	at := x.expand(x.cast(x.places(k.seq).at, onnx.Double), 1) // [n, 1]
	angles := x.Op("Add", x.Op("Mul", at, x.Constant("positions.speed", speeds, d)), x.Constant("positions.phase", phases, d))
	return x.cast(x.Op("Sin", angles), onnx.Float)
}

// passOn writes dy to the gradient of an input of the same shape.
func passOn(g *Graph, dy Mat, dx Grad) error {
	return g.pool.rowwise(dy.Rows, func(lo, hi int) { dx.putRange(lo, hi, dy.Range(lo, hi)) })
}

func (k *sinusoid) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	at := "i"
	if onTarget(n) {
		at = "t"
	}
	return s.named(n, x.symbol, []string{s.each(n.src.inputs[0], x.symbol) + " + PE(" + at + ")", k.layout.describe()}, diagram.Edge{From: x.vertex})
}

// describe describes the layout in pictures.
func (l PositionLayout) describe() string {
	if l == Halves {
		return "all sines, then all cosines"
	}
	return "sine and cosine in turn"
}
