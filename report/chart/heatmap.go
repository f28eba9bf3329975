// Package chart draws plain numbers that its callers have computed: matrices as heat maps, the
// effect of removed words, clouds of dots, and shaded texts. Figures of runs are in package figures.
package chart

import (
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

// Heatmaps returns a figure of matrices side by side, of which two span a page.
func Heatmaps(name, title, caption string, list ...Matrix) (canvas.Figure, error) {
	for _, m := range list {
		if min(m.Rows, m.Cols) < 1 || max(m.Rows, m.Cols) > maxCells {
			return canvas.Figure{}, fmt.Errorf("%s: a matrix of %d×%d cannot be drawn; want 1 to %d cells a side", m.Title, m.Rows, m.Cols, maxCells)
		}
	}
	const around = 1.5 * vg.Centimeter
	side := (canvas.Page.Width - around) / 2
	size := canvas.Size{Width: around + side*vg.Length(len(list)), Height: around + side, DPI: canvas.Page.DPI}
	return canvas.Figure{
		Name: format.FileName(name), Title: title, Caption: caption, Size: size, Square: true, Panels: canvas.Panels(list),
	}, nil
}

// Draw implements canvas.Panel: column j is at x = j and row i at y = −i.
func (m Matrix) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", m.X, m.Y) // the mosaic writes the title
	p.X.Min, p.X.Max = -0.5, float64(m.Cols)-0.5
	p.Y.Min, p.Y.Max = 0.5-float64(m.Rows), 0.5
	p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0 // the cells have edges
	rowWords := m.RowWords
	if rowWords == nil {
		rowWords = m.Words
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = cellTicks(m.Cols, 1, m.Words, " "), cellTicks(m.Rows, -1, rowWords, "")
	if m.Words != nil {
		size := vg.Length(min(7, max(3.5, 190/float64(max(len(m.Words), len(rowWords)))))) * s.Unit
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
