package attend

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

const (
	padded   = 915  // length to which the original padded the review of figure 18
	maxDrawn = 5000 // words; more would not be distinguishable
	maxNamed = 40   // words; more cannot be named at the sides
)

// dots draws the dot products of the text's words with their positions, and next to it the same
// padded with zero vectors, as in the original (figure 18 of the published report).
func (s *shown) dots(a *cli.App, out string) error {
	fail := func(err error) error { return fmt.Errorf("%s: %s %w", s.run.Label(), s.name(), err) }
	words, rows, err := s.vectors()
	if err != nil {
		return fail(err)
	}
	p, err := positionsOf(&s.run.Config, s.m)
	if err != nil {
		return fail(err)
	}
	n, d, front := len(words), s.m.Dim(), 0
	if s.hasCLS() {
		front = 1
	}
	all := max(n, min(padded, cmp.Or(len(p.table)/d, padded)))
	rows = append(rows, make([]float32, (all-n)*d)...)
	if err := p.add(rows, d); err != nil {
		return fail(err)
	}
	products := make([]float32, all*all)
	for i := range all {
		simd.DotRows(products[i*all:][:all], rows, d, d, rows[i*d:][:d])
	}
	low, high := math.Inf(1), math.Inf(-1) // of the words; [CLS] may lie beyond
	for i := front; i < all; i++ {
		row := products[i*all:][front:all]
		low, high = min(low, float64(slices.Min(row))), max(high, float64(slices.Max(row)))
	}
	at := func(i, j int) float64 { return float64(products[i*all+j]) }
	list := []chart.Matrix{{Title: "the review's words", X: "word", Y: "word", Rows: n, Cols: n, At: at, Low: low, High: high}}
	if n <= maxNamed {
		list[0].Words, list[0].X, list[0].Y = words, "", ""
	}
	see := "Light rows are rare words; frequent ones point the same way and are dark among themselves. The bands along the diagonal are the positions'."
	if all > n {
		list = append(list, chart.Matrix{Title: fmt.Sprintf("padded to %d, as the original", all), X: "word", Y: "word", Rows: all, Cols: all, At: at, Low: low, High: high})
		see += " Padding shows only bands: zero vectors with positions, which the original used like words."
	}
	list[len(list)-1].Bar = true
	about := s.name() + ": " + format.Counted(n-front, "word")
	f, err := chart.Heatmaps("dots-"+s.run.Config.Name, "Dot products of position-encoded words", fmt.Sprintf("%s · %s · %s", s.run.Label(), about, p.what), list...)
	if err != nil {
		return err
	}
	a.Say(about, "", "  ")
	return a.WritePicture(f, out, see)
}

// hasCLS reports whether the model reads [CLS] before the words.
func (s *shown) hasCLS() bool { return s.run.Config.Setting("pool") == "cls" }

// vectors returns the words that the model sees, with [CLS], and their vectors [n, d].
func (s *shown) vectors() (words []string, rows []float32, err error) {
	e := s.m.Encode(s.review.Text)
	switch {
	case s.m.Scorer() != nil:
		return nil, nil, errors.New("cannot be drawn: " + infer.NoGraph + "it has no word vectors")
	case infer.Wordless(e.Words):
		return nil, nil, errors.New("has no words to draw")
	case len(e.Words) > maxDrawn:
		return nil, nil, fmt.Errorf("has %d words; at most %d can be drawn", len(e.Words), maxDrawn)
	}
	if s.hasCLS() {
		words = []string{infer.CLS}
		if rows, err = s.m.Weight("cls"); err != nil {
			return nil, nil, err
		}
		rows = slices.Clone(rows)
	}
	for i, w := range e.Words {
		words, rows = append(words, w.Word), append(rows, s.m.Vector(e.Rows[i])...)
	}
	return words, rows, nil
}

// positions are the encodings of a run's positions, or those of Vaswani et al. if it has none.
type positions struct {
	what   string // in a caption
	table  []float32
	layout ops.PositionLayout
	base   float64
}

func positionsOf(c *runs.Config, m *infer.Model) (p positions, err error) {
	layouts := map[string]ops.PositionLayout{"sinusoid": ops.Interleaved, "halves": ops.Halves}
	p.base = 10000
	switch kind := c.Setting("positions"); {
	case kind == "learned":
		p.what = "learned positions"
		p.table, err = m.Weight("positions")
	case kind == "" || kind == "none":
		p.what = "positions=sinusoid, base 10000, added for the drawing (the model has none)"
	default:
		p.layout = layouts[kind]
		if b := c.Setting("positions.base"); b != "" {
			p.base, err = strconv.ParseFloat(b, 64)
		}
		p.what = fmt.Sprintf("positions=%s, base %g", kind, p.base)
	}
	return p, err
}

// add adds the encodings of the positions from 0 to rows [n, d].
func (p positions) add(rows []float32, d int) error {
	if p.table != nil {
		if len(rows) > len(p.table) {
			return fmt.Errorf("has %d words, but the run has learned %d positions", len(rows)/d, len(p.table)/d)
		}
		simd.Add(rows, p.table[:len(rows)])
		return nil
	}
	row := make([]float32, d)
	for i := range len(rows) / d {
		ops.PositionEncoding(row, i, d, p.base, p.layout)
		simd.Add(rows[i*d:][:d], row)
	}
	return nil
}
