package ops_test

import (
	"math"
	"testing"

	"imdbexp/internal/ops"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The first rows of both layouts, by a calculator.
func TestPositionEncoding(t *testing.T) {
	for _, c := range []struct {
		name   string
		pos, d int
		base   float64
		layout ops.PositionLayout
		want   []float64
	}{
		{"the first position", 0, 6, 10000, ops.Interleaved, []float64{0, 1, 0, 1, 0, 1}},
		{"the first position, halves", 0, 6, 10000, ops.Halves, []float64{0, 0, 0, 1, 1, 1}},
		{"the second", 1, 4, 10000, ops.Interleaved, []float64{0.8414710, 0.5403023, 0.0099998, 0.9999500}},
		{"the second, halves", 1, 4, 10000, ops.Halves, []float64{0.8414710, 0.0001, 0.5403023, 1}},
		{"another base", 100, 4, 1000, ops.Interleaved, []float64{-0.5063656, 0.8623189, -0.0206835, -0.9997861}},
		{"an odd width", 2, 3, 10000, ops.Interleaved, []float64{0.9092974, -0.4161468, 0.0043089}},
		{"an odd width, halves", 2, 5, 10000, ops.Halves, []float64{0.9092974, 0.0002, -0.4161468, 1, 0}},
		{"one pair, halves", 2, 2, 10000, ops.Halves, []float64{0.9092974, -0.4161468}},
		{"one column", 2, 1, 10000, ops.Interleaved, []float64{0.9092974}},
		{"one column, halves", 2, 1, 10000, ops.Halves, []float64{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make([]float32, c.d)
			for j := range got {
				got[j] = 99
			}
			ops.PositionEncoding(got, c.pos, c.d, c.base, c.layout)
			require.InDeltaSlice(t, c.want, got, 5e-7)
		})
	}
}

// PE(p+k) is a fixed linear map of PE(p): each pair turns by the same angle
// wherever it starts (Vaswani et al. 2017, 3.5).
func TestPositionsTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d = 50
		layout := rapid.SampledFrom([]ops.PositionLayout{ops.Interleaved, ops.Halves}).Draw(t, "layout")
		base := rapid.SampledFrom([]float64{1000, 10000}).Draw(t, "base")
		p, k := rapid.IntRange(0, 20000).Draw(t, "p"), rapid.IntRange(0, 3000).Draw(t, "k")
		from, to, by := make([]float32, d), make([]float32, d), make([]float32, d)
		ops.PositionEncoding(from, p, d, base, layout)
		ops.PositionEncoding(to, p+k, d, base, layout)
		ops.PositionEncoding(by, k, d, base, layout) // the sine and cosine of the turn
		for j := range d / 2 {
			s, c := 2*j, 2*j+1
			if layout == ops.Halves {
				s, c = j, d/2+j
			}
			sin, cos := float64(from[s]), float64(from[c])
			require.InDelta(t, sin*float64(by[c])+cos*float64(by[s]), to[s], 1e-6)
			require.InDelta(t, cos*float64(by[c])-sin*float64(by[s]), to[c], 1e-6)
			require.InDelta(t, 1, math.Hypot(sin, cos), 1e-6)
		}
	})
}

// Learned positions end where training ended; sinusoids do not.
func TestPositionsBeyondTheTable(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), false)
	x := g.Leaf("x", g.Words(), 2, false)
	learned := ops.AddPositions(x, weight(g, 256, 2))
	m := machine(t, g)
	run := func(lengths ...int) error {
		b := batch(lengths...)
		x.Set(ops.Mat{Rows: b.Words(), Cols: 2, Data: random("x", 2*b.Words())})
		return m.Run(b, 0)
	}
	require.NoError(t, run(256, 3))
	require.ErrorContains(t, run(3, 900), "positions: a review needs 900 positions, but 256 were learned (positions.max)")
	require.NoError(t, run(9), "afterwards it runs as before")
	require.Equal(t, random("x", 18), learned.Mat().Data)
}
