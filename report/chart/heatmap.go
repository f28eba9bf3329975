// Package chart draws plain numbers that its callers have computed: matrices as heat maps,
// measurements over sizes, a sweep of learning rates, and the effect of removed words.
// Figures of runs are in package figures.
package chart

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// Matrix is numbers to be drawn as coloured cells in a square, row 0 at the top.
type Matrix struct {
	Title      string
	X, Y       string // what columns and rows are
	Rows, Cols int
	At         func(row, col int) float64 // NaN: a blank cell
	Words      []string                   // named at each column, and at each row of a square matrix; nil: numbers from 0
	RowWords   []string                   // named at each row instead; nil: Words
	Low, High  float64                    // ends of the colour scale; if equal, the range of the numbers
	Bar        bool                       // with a colour scale
}

// maxCells bounds a side of a matrix: beyond it cells are far smaller than dots.
const maxCells = 20000

func (m Matrix) check() error {
	switch {
	case m.Rows < 1 || m.Cols < 1 || m.At == nil:
		return fmt.Errorf("%s: a matrix of %d×%d has nothing to draw", m.Title, m.Rows, m.Cols)
	case m.Rows > maxCells || m.Cols > maxCells:
		return fmt.Errorf("%s: a matrix of %d×%d is too large to draw; %d a side at most", m.Title, m.Rows, m.Cols, maxCells)
	case m.Words != nil && len(m.Words) != m.Cols:
		return fmt.Errorf("%s: %d words for a matrix of %d×%d", m.Title, len(m.Words), m.Rows, m.Cols)
	case m.Words != nil && len(m.rowWords()) != m.Rows:
		return fmt.Errorf("%s: %d words of rows for a matrix of %d×%d", m.Title, len(m.rowWords()), m.Rows, m.Cols)
	}
	return nil
}

func (m Matrix) rowWords() []string {
	if m.RowWords != nil {
		return m.RowWords
	}
	return m.Words
}

// scale returns the colour scale of the matrix.
func (m Matrix) scale() scale {
	if m.Low != m.High {
		return newScale(m.Low, m.High)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range m.Rows {
		for j := range m.Cols {
			if v := m.At(i, j); !math.IsNaN(v) && !math.IsInf(v, 0) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		low, high = 0, 0
	}
	return newScale(low, high)
}

// HeatmapSize is a size at which this many rows and columns of matrices fill a
// figure: two columns span a page.
func HeatmapSize(rows, cols int) canvas.Size {
	side := (canvas.Page.Width - 1.5*vg.Centimeter) / 2
	return canvas.Size{
		Width:  1.5*vg.Centimeter + side*vg.Length(cols),
		Height: 1.5*vg.Centimeter + side*vg.Length(rows),
		DPI:    canvas.Page.DPI,
	}
}

// Heatmaps returns a figure of matrices in rows and columns; all rows have the
// same number of them.
func Heatmaps(name, title, caption string, rows ...[]Matrix) (canvas.Figure, error) {
	var errs []error
	for _, row := range rows {
		if len(row) == 0 || len(row) != len(rows[0]) {
			errs = append(errs, fmt.Errorf("%s: %d matrices in a row, %d in the first", title, len(row), len(rows[0])))
		}
		for _, m := range row {
			errs = append(errs, m.check())
		}
	}
	if len(rows) == 0 {
		errs = append(errs, fmt.Errorf("%s: no matrix to draw", title))
	}
	if err := errors.Join(errs...); err != nil {
		return canvas.Figure{}, err
	}
	return canvas.Figure{Name: format.FileName(name), Title: title, Caption: caption, Size: HeatmapSize(len(rows), len(rows[0])), Panels: func(s canvas.Style) []*plot.Plot {
		g := grid{unit: s.Unit}
		for _, row := range rows {
			var plots []*plot.Plot
			for _, m := range row {
				plots = append(plots, m.draw(s))
			}
			g.plots = append(g.plots, plots)
		}
		return []*plot.Plot{g.panel()}
	}}, nil
}

// draw returns the matrix as a panel, column j at x = j and row i at y = −i.
func (m Matrix) draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", m.X, m.Y) // the mosaic writes the title
	p.X.Min, p.X.Max = -0.5, float64(m.Cols)-0.5
	p.Y.Min, p.Y.Max = 0.5-float64(m.Rows), 0.5
	p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0 // the cells have edges
	p.X.Tick.Marker, p.Y.Tick.Marker = cellTicks(m.Cols, 1, m.Words, " "), cellTicks(m.Rows, -1, m.rowWords(), "")
	if m.Words != nil {
		size := vg.Length(min(7, max(3.5, 190/float64(max(len(m.Words), len(m.rowWords())))))) * s.Unit
		p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = size, size
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	p.Add(mosaic{m, s, m.scale()})
	return p
}

// cellTicks returns whole numbers of round steps below n, or all words, each with
// a gap behind it: upright words would run into their ticks.
func cellTicks(n int, sign float64, words []string, gap string) plot.ConstantTicks {
	if words != nil {
		var out plot.ConstantTicks
		for i, w := range words {
			out = append(out, plot.Tick{Value: sign * float64(i), Label: abbreviated(w) + gap})
		}
		return out
	}
	step, _ := canvas.NiceStep(float64(n-1), 5)
	var at []int
	for i := 0; i < n; i += max(1, int(step)) {
		at = append(at, i)
	}
	return canvas.WholeTicks(at, sign)
}

// abbreviated shortens labels that would need more space than the cells.
func abbreviated(word string) string {
	const most = 14
	if r := []rune(word); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return word
}
