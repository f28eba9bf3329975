// Package chart draws plain numbers that its callers have computed: matrices as heat maps, the
// effect of removed words, and shaded texts. Figures of runs are in package figures.
package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"unicode"

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
	Low, High  float64                    // ends of the colour scale
}

// maxCells bounds a side of a matrix: beyond it cells are far smaller than dots.
const maxCells = 6000

// Heatmaps returns a figure of matrices side by side, of which two span a page. The legend has the colours of the first.
func Heatmaps(name, title, caption string, list ...Matrix) (canvas.Figure, error) {
	for _, m := range list {
		if min(m.Rows, m.Cols) < 1 || max(m.Rows, m.Cols) > maxCells {
			return canvas.Figure{}, fmt.Errorf("%s: a matrix of %d×%d cannot be drawn; want 1 to %d cells a side", m.Title, m.Rows, m.Cols, maxCells)
		}
	}
	const around = 1.5 * vg.Centimeter
	side := (canvas.Page.Width - around) / 2
	size := canvas.Size{Width: around + side*vg.Length(len(list)), Height: around + side, DPI: canvas.Page.DPI}
	f := canvas.Figure{Name: format.FileName(name), Title: title, Caption: caption, Size: size, Square: true, Panels: canvas.Panels(list)}
	scale := newScale(list[0].Low, list[0].High)
	for _, t := range (canvas.Ticks{N: 6}).Ticks(scale.low, scale.high) {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: t.Label, Line: Line(7, scale.palette()[scale.index(t.Value)])})
	}
	return f, nil
}

// Draw implements canvas.Panel: column j is at x = j and row i at y = −i.
func (m Matrix) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(m.Title, m.X, m.Y)
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
	p.Add(canvas.Plotter(func(c draw.Canvas, _ *plot.Plot) { m.plot(c, s) }))
	return p
}

// cellTicks returns whole numbers of round steps below n, or all words, each with
// a gap behind it: upright words would run into their ticks.
func cellTicks(n int, sign float64, words []string, gap string) (out plot.ConstantTicks) {
	for i, w := range words {
		if r := []rune(w); len(r) > longestLabel {
			w = string(r[:longestLabel-1]) + "…"
		}
		out = append(out, plot.Tick{Value: sign * float64(i), Label: w + gap})
	}
	if words != nil {
		return out
	}
	step, _ := canvas.NiceStep(float64(n-1), 5)
	for i := 0; i < n; i += max(1, int(step)) {
		out = append(out, plot.Tick{Value: sign * float64(i), Label: strconv.Itoa(i)})
	}
	return out
}

// longestLabel is how many characters of a word there is space for.
const longestLabel = 14

// plot draws the matrix as one framed image: 900×900 rectangles would make an SVG of 80 MB. Its pixels are the dots that
// it covers, unless it has more cells.
func (m Matrix) plot(c draw.Canvas, s canvas.Style) {
	dpi := 300.0 // for formats without dots, such as SVG
	if dots, ok := c.Canvas.(interface{ DPI() float64 }); ok {
		dpi = dots.DPI()
	}
	scale, size := newScale(m.Low, m.High), c.Rectangle.Size()
	pixels := func(l vg.Length, cells int) int { return max(cells, int(math.Round(l.Dots(dpi)))) }
	img := image.NewPaletted(image.Rect(0, 0, pixels(size.X, m.Cols), pixels(size.Y, m.Rows)), scale.palette())
	width, height := img.Rect.Dx(), img.Rect.Dy()
	for y := range height {
		for x := range width {
			img.SetColorIndex(x, y, scale.index(m.At((2*y+1)*m.Rows/(2*height), (2*x+1)*m.Cols/(2*width))))
		}
	}
	c.DrawImage(c.Rectangle, img)
	c.SetLineStyle(s.Line(0.5, canvas.Faint))
	c.Stroke(c.Rectangle.Path())
}

// Two colour maps, both of a lightness that only rises or only falls: printed in
// grey a larger number is still a lighter cell (diverging) or a darker one
// (sequential), and no reader needs to tell red from green.
var (
	// diverging is cividis (Nuñez, Anderton and Renslow, PLoS ONE 2018): blue
	// below zero, grey at zero, yellow above it.
	diverging = []color.NRGBA{
		{0x00, 0x20, 0x4d, 0xff}, {0x00, 0x33, 0x6f, 0xff}, {0x39, 0x48, 0x6b, 0xff}, {0x57, 0x5c, 0x6d, 0xff}, {0x70, 0x71, 0x73, 0xff},
		{0x8a, 0x87, 0x79, 0xff}, {0xa6, 0x9d, 0x75, 0xff}, {0xc4, 0xb5, 0x6c, 0xff}, {0xe4, 0xcf, 0x5b, 0xff}, {0xff, 0xea, 0x46, 0xff},
	}
	// sequential is ColorBrewer's Blues of nine classes (Harrower and Brewer, The
	// Cartographic Journal 2003).
	sequential = []color.NRGBA{
		{0xf7, 0xfb, 0xff, 0xff}, {0xde, 0xeb, 0xf7, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0x9e, 0xca, 0xe1, 0xff}, {0x6b, 0xae, 0xd6, 0xff},
		{0x42, 0x92, 0xc6, 0xff}, {0x21, 0x71, 0xb5, 0xff}, {0x08, 0x51, 0x9c, 0xff}, {0x08, 0x30, 0x6b, 0xff},
	}
)

// shades is the number of colours of a scale. The palette has one more entry, for NaN.
const shades = 255

// scale maps numbers from low to high to colours.
type scale struct {
	low, high float64
	diverging bool
}

// lopsided is the minimum ratio of the two sides of zero for the diverging map. Below it,
// half of the map would be unused.
const lopsided = 1.0 / 3

// newScale returns the scale of numbers between low and high. Where they spread to both sides of zero, that is the middle
// of the map, and steps of one size are equal on either side.
func newScale(low, high float64) scale {
	if !(high > low) {
		low, high = low-0.5, low+0.5
	}
	return scale{low, high, min(-low, high) > lopsided*max(-low, high)}
}

// palette returns the colours from low to high, and white for NaN.
func (s scale) palette() color.Palette {
	stops, from, to := sequential, 0.0, 1.0
	if s.diverging {
		m := 2 * max(-s.low, s.high)
		stops, from, to = diverging, 0.5+s.low/m, 0.5+s.high/m
	}
	var out color.Palette
	for i := range shades {
		out = append(out, between(stops, from+(to-from)*float64(i)/(shades-1)))
	}
	return append(out, color.White)
}

// index returns the index of a number in the palette.
func (s scale) index(v float64) uint8 {
	if math.IsNaN(v) {
		return shades
	}
	t := (v - s.low) / (s.high - s.low)
	return uint8(math.Round(min(1, max(0, t)) * (shades - 1)))
}

// between returns the colour at t of 0 … 1 on the way along the stops.
func between(stops []color.NRGBA, t float64) color.NRGBA {
	at := min(1, max(0, t)) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := stops[i], stops[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// Part is a part of a text without blanks. Its shade goes from −1, against, to 1, for; 0 is unshaded.
type Part struct {
	Text  string
	Shade float64
	Faint bool // the model does not see it
}

const (
	shadedPoints = 9.5
	shadedLine   = 1.75 // height of a line, in sizes of the font
)

// Shaded draws a text, its words shaded, in lines. Each piece is a word between blanks.
func Shaded(name, title, caption string, pieces [][]Part) (canvas.Figure, error) {
	size := canvas.Size{Width: 16 * vg.Centimeter, DPI: canvas.Page.DPI}
	t := shadedText{size.Style(), pieces}
	f := canvas.Figure{Name: name, Title: title, Caption: caption, Single: true, Size: size, Panels: func(s canvas.Style) []*plot.Plot {
		p := plot.New()
		p.HideAxes()
		p.X.Padding, p.Y.Padding = 0, 0
		p.Add(shadedText{s, pieces})
		return []*plot.Plot{p}
	}}
	lines := t.place(size.Inner(), func(string, Part, vg.Length, vg.Length, int) {})
	if lines > maxShadedLines {
		return f, fmt.Errorf("a picture of the text would have %d lines, more than %d; a page has room for it", lines, maxShadedLines)
	}
	f.Body = (vg.Length(lines)*shadedLine + 1) * t.font().Font.Size
	return f, nil
}

// maxShadedLines bounds the memory of a picture: 1 000 lines are some 18 000 words and 180 MB.
const maxShadedLines = 1000

// shadedText draws the pieces.
type shadedText struct {
	style  canvas.Style
	pieces [][]Part
}

func (t shadedText) font() draw.TextStyle { return t.style.Text(shadedPoints, canvas.Ink) }

// Plot implements plot.Plotter.
func (t shadedText) Plot(c draw.Canvas, _ *plot.Plot) {
	font := t.font()
	font.YAlign = draw.YBottom
	height := font.Font.Size
	t.place(c.Max.X-c.Min.X, func(text string, p Part, x, width vg.Length, line int) {
		at := vg.Point{X: c.Min.X + x, Y: c.Max.Y - vg.Length(line+1)*shadedLine*height}
		if p.Shade != 0 {
			colour := canvas.Vermillion
			if p.Shade < 0 {
				colour = canvas.Blue
			}
			box := vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - height/4}, Max: vg.Point{X: at.X + width, Y: at.Y + 1.15*height}}
			c.SetColor(canvas.Faded(colour, 0.75*max(p.Shade, -p.Shade)))
			c.Fill(box.Path())
		}
		style := font
		if p.Faint {
			style.Color = canvas.Faint
		}
		c.FillText(style, at, text)
	})
}

// place wraps the pieces to a width and calls f for each part, or for each line of a part that is
// wider. It returns the number of lines.
func (t shadedText) place(width vg.Length, f func(text string, p Part, x, width vg.Length, line int)) (lines int) {
	font, x := t.font(), vg.Length(0)
	blank := font.Width("n n") - font.Width("nn")
	for _, piece := range t.pieces {
		whole := vg.Length(0)
		for _, p := range piece {
			whole += font.Width(p.Text)
		}
		if x > 0 && x+whole > width {
			x = 0
			lines++
		}
		for _, p := range piece {
			for text := p.Text; text != ""; {
				n := fitting(font, text, width-x)
				if n == 0 && x > 0 {
					x = 0
					lines++
					continue
				}
				if n == 0 {
					n = len(text)
				}
				w := font.Width(text[:n])
				f(text[:n], p, x, w, lines)
				x += w
				text = text[n:]
			}
		}
		x += blank
	}
	return lines + 1
}

// fitting returns how many bytes of a text fit a width, in whole characters with their marks.
func fitting(font draw.TextStyle, text string, width vg.Length) int {
	fits, w := 0, vg.Length(0)
	for at, r := range text {
		if at > 0 && !unicode.Is(unicode.M, r) {
			fits = at
		}
		if w += font.Width(string(r)); w > width {
			return fits
		}
	}
	return len(text)
}
