package draw

import (
	"fmt"
	"strconv"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// maxPositions is the maximum number of words of a drawing; more would not be distinguishable.
const maxPositions = 5000

// layouts are the layouts of sinusoids by their names in settings.
var layouts = map[string]ops.PositionLayout{"sinusoid": ops.Interleaved, "halves": ops.Halves}

// positions is a model's encoding of positions.
type positions struct {
	kind  string // sinusoid, halves or learned
	base  float64
	table []float32 // of learned ones [max, d]
	added bool      // for the drawing: the model has none
}

// positionsOf returns the encodings of a run, or those of Vaswani et al. if it has none.
func positionsOf(c *runs.Config, v *vocabulary) (positions, error) {
	p := positions{kind: c.Setting("positions"), base: 10000}
	switch p.kind {
	case "", "none":
		p.kind, p.added = "sinusoid", true
	case "learned":
		var err error
		p.table, err = v.Weight("positions")
		return p, err
	}
	if b := c.Setting("positions.base"); b != "" && !p.added {
		var err error
		if p.base, err = strconv.ParseFloat(b, 64); err != nil {
			return p, fmt.Errorf("positions.base=%s: %w", b, err)
		}
	}
	return p, nil
}

// String describes the encoding in a caption.
func (p positions) String() string {
	what := "learned positions"
	if p.table == nil {
		what = fmt.Sprintf("positions=%s, base %g", p.kind, p.base)
	}
	if p.added {
		what += ", added for the drawing (the model has none)"
	}
	return what
}

// add adds the encodings of the positions from 0 to rows [n, d].
func (p positions) add(rows []float32, d int) error {
	n := len(rows) / d
	if p.table != nil {
		if n*d > len(p.table) {
			return fmt.Errorf("the text has %d words, but the run has learned %d positions", n, len(p.table)/d)
		}
		simd.Add(rows, p.table[:n*d])
		return nil
	}
	layout, known := layouts[p.kind]
	if !known {
		return fmt.Errorf("positions=%s cannot be drawn", p.kind)
	}
	row := make([]float32, d)
	for i := range n {
		ops.PositionEncoding(row, i, d, p.base, layout)
		simd.Add(rows[i*d:][:d], row)
	}
	return nil
}

// gram is the matrix of dot products of n rows.
type gram struct {
	n      int
	values []float32 // [n, n]
}

// newGram returns the dot products of rows [n, d].
func newGram(rows []float32, n, d int) gram {
	g := gram{n: n, values: make([]float32, n*n)}
	for i := range n {
		simd.DotRows(g.values[i*n:][:n], rows, d, d, rows[i*d:][:d])
	}
	return g
}

// at returns the dot product of rows i and j.
func (g gram) at(i, j int) float64 { return float64(g.values[i*g.n+j]) }

// limits returns the smallest and the largest product among the rows from after on.
func (g gram) limits(after int) (low, high float64) {
	low = g.at(after, after)
	high = low
	for i := after; i < g.n; i++ {
		for j := after; j < g.n; j++ {
			low, high = min(low, g.at(i, j)), max(high, g.at(i, j))
		}
	}
	return low, high
}
