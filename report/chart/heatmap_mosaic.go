package chart

import (
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
)

// mosaic plots a matrix as one image: 900×900 rectangles would make an SVG of
// 80 MB.
type mosaic struct {
	Matrix
	s     canvas.Style
	scale scale
}

// Plot implements plot.Plotter.
func (m mosaic) Plot(c draw.Canvas, _ *plot.Plot) {
	dpi := 300.0 // for formats without dots, such as SVG
	if dots, ok := c.Canvas.(interface{ DPI() float64 }); ok {
		dpi = dots.DPI()
	}
	size := c.Size()
	c.DrawImage(c.Rectangle, m.raster(dotsOf(size.X, dpi), dotsOf(size.Y, dpi)))
	frame := m.s.Line(0.5, canvas.Faint)
	strokeRectangle(c, frame, c.Rectangle)
	title := m.title()
	title.XAlign = draw.XCenter
	c.FillText(title, vg.Point{X: c.Center().X, Y: c.Max.Y + titleGap*m.s.Unit}, m.Title)
	if m.Bar {
		m.bar(c, frame, dpi)
	}
}

// titleGap is between matrix and title, in units of the style.
const titleGap = 5

func (m mosaic) title() draw.TextStyle { return m.s.Text(8.5, canvas.Ink) }

// dotsOf returns a length in whole dots. An image of the very dots that it
// covers is shown as it is, whatever smoothing a viewer would choose.
func dotsOf(l vg.Length, dpi float64) int { return max(1, int(math.Round(l.Dots(dpi)))) }

// raster draws the matrix on width × height dots; a dot that covers several
// cells has the colour of their mean.
func (m mosaic) raster(width, height int) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, width, height), m.scale.palette())
	for y := range height {
		top, bottom := span(y, height, m.Rows)
		for x := range width {
			left, right := span(x, width, m.Cols)
			sum := 0.0
			for i := top; i < bottom; i++ {
				for j := left; j < right; j++ {
					sum += m.At(i, j)
				}
			}
			img.SetColorIndex(x, y, m.scale.index(sum/float64((bottom-top)*(right-left))))
		}
	}
	return img
}

// span returns the range of cells below one dot. If cells are larger than dots, it is the
// cell under the dot's middle, else all cells that end within the dot.
func span(dot, dots, cells int) (from, to int) {
	if cells <= dots {
		from = (2*dot + 1) * cells / (2 * dots)
		return from, from + 1
	}
	return dot * cells / dots, (dot + 1) * cells / dots
}

func strokeRectangle(c draw.Canvas, line draw.LineStyle, r vg.Rectangle) {
	c.SetLineStyle(line)
	c.Stroke(r.Path())
}

// The colour bar, in units of the style.
const (
	barGap   = 6 // from the matrix
	barWidth = 6
	barTick  = 2
	barFont  = 7
)

// barTicks returns the tick labels of the colour bar.
func (m mosaic) barTicks() []plot.Tick { return canvas.Ticks{N: 6}.Ticks(m.scale.low, m.scale.high) }

// bar draws the colour scale right of the matrix.
func (m mosaic) bar(c draw.Canvas, frame draw.LineStyle, dpi float64) {
	r := c.Rectangle
	r.Min.X = r.Max.X + barGap*m.s.Unit
	r.Max.X = r.Min.X + barWidth*m.s.Unit
	height := dotsOf(r.Size().Y, dpi)
	img := image.NewPaletted(image.Rect(0, 0, dotsOf(r.Size().X, dpi), height), m.scale.palette())
	for y := range height {
		shade := uint8((height - 1 - y) * shades / height)
		for x := range img.Rect.Dx() {
			img.SetColorIndex(x, y, shade)
		}
	}
	c.DrawImage(r, img)
	strokeRectangle(c, frame, r)
	text := m.s.Text(barFont, canvas.Ink)
	text.YAlign = draw.YCenter
	for _, t := range m.barTicks() {
		y := r.Min.Y + vg.Length((t.Value-m.scale.low)/(m.scale.high-m.scale.low))*r.Size().Y
		c.StrokeLine2(frame, r.Max.X, y, r.Max.X+barTick*m.s.Unit, y)
		c.FillText(text, vg.Point{X: r.Max.X + (barTick+1.5)*m.s.Unit, Y: y}, t.Label)
	}
}

// GlyphBoxes implements plot.GlyphBoxer: it reserves space for title and colour bar. The
// title is not the plot's own, because that one would move up with the labels of the first
// row, and titles side by side would not be level.
func (m mosaic) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	high := titleGap*m.s.Unit + m.title().Height(m.Title)
	boxes := []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: high}}}}
	if !m.Bar {
		return boxes
	}
	text, widest := m.s.Text(barFont, canvas.Ink), vg.Length(0)
	for _, t := range m.barTicks() {
		widest = max(widest, text.Width(t.Label))
	}
	wide := (barGap+barWidth+barTick+1.5)*m.s.Unit + widest
	return append(boxes, plot.GlyphBox{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: wide}}})
}
