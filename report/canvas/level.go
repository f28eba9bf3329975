package canvas

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Level is a labelled horizontal line across the whole panel, where its axis has it.
type Level struct {
	Y      float64
	Label  string
	Line   draw.LineStyle
	Text   draw.TextStyle
	Around []plotter.XYs // lines that the label keeps clear of, where it can
}

// Plot implements plot.Plotter. The label stands at the right end of the line or at the
// left one, above it or below: at the first place inside the panel through which no line
// passes, or else that the fewest do.
func (l Level) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Y < p.Y.Min || l.Y > p.Y.Max {
		return
	}
	xs, ys := p.Transforms(&c)
	y := ys(l.Y)
	c.StrokeLine2(l.Line, c.Min.X, y, c.Max.X, y)
	edge, gap := vg.Points(1), vg.Points(1.5)
	style, fewest := l.Text, math.MaxInt
	var at vg.Point
	for i := range 4 {
		st, corner := l.Text, vg.Point{X: c.Max.X - edge, Y: y + gap}
		st.XAlign, st.YAlign = draw.XRight, draw.YBottom
		if i > 1 {
			corner.X, st.XAlign = c.Min.X+edge, draw.XLeft
		}
		if i%2 == 1 {
			corner.Y, st.YAlign = y-gap, draw.YTop
		}
		box := st.Rectangle(l.Label).Add(corner)
		if box.Max.Y > c.Max.Y || box.Min.Y < c.Min.Y {
			continue
		}
		n := 0
		for _, line := range l.Around {
			for i, xy := range line {
				to := line[min(i+1, len(line)-1)]
				if crosses(box, vg.Point{X: xs(xy.X), Y: ys(xy.Y)}, vg.Point{X: xs(to.X), Y: ys(to.Y)}) {
					n++
				}
			}
		}
		if n < fewest {
			fewest, style, at = n, st, corner
		}
	}
	if fewest < math.MaxInt {
		c.FillText(style, at, l.Label)
	}
}

// crosses reports whether the way from a to b passes through the box: whether some part of
// it is within both its sides and its top and bottom.
func crosses(box vg.Rectangle, a, b vg.Point) bool {
	from, to := 0.0, 1.0
	within := func(start, step, low, high vg.Length) bool {
		if step == 0 {
			return low <= start && start <= high
		}
		in, out := float64((low-start)/step), float64((high-start)/step)
		from, to = max(from, min(in, out)), min(to, max(in, out))
		return from <= to
	}
	return within(a.X, b.X-a.X, box.Min.X, box.Max.X) && within(a.Y, b.Y-a.Y, box.Min.Y, box.Max.Y)
}
