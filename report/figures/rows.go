package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// rowPanel draws labelled rows from top to bottom, row i at y = −i.
type rowPanel struct {
	title, x string // labels
	rows     []row
	label    int // characters in a line of a label
	ends     chart.Ends
}

type row struct {
	label string
	marks []mark
}

// mark is a dot of a row, or a line to another place. Heights are in rows, relative to its own.
type mark struct {
	x, y   float64
	look   func(canvas.Style) draw.LineStyle
	shape  draw.GlyphDrawer // nil: a line
	radius vg.Length        // of a dot

	toX, toY float64 // of a line
}

// line is a level line in a row.
func line(from, to, y float64, look func(canvas.Style) draw.LineStyle) mark {
	return mark{x: from, toX: to, y: y, toY: y, look: look}
}

func (rp rowPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(rp.title, rp.x, "")
	p.Add(s.Net(true, true))
	var names plot.ConstantTicks
	for i, r := range rp.rows {
		at := -float64(i)
		names = append(names, plot.Tick{Value: at, Label: canvas.WrapLabel(r.label, rp.label)})
		for _, m := range r.marks {
			if m.shape == nil {
				p.Add(canvas.Curve(plotter.XYs{{X: m.x, Y: at + m.y}, {X: m.toX, Y: at + m.toY}}, m.look(s)))
				continue
			}
			dot := canvas.Dots(s, plotter.XYs{{X: m.x, Y: at + m.y}}, m.look(s))
			dot.Shape, dot.Radius = m.shape, m.radius*s.Unit
			p.Add(dot)
		}
	}
	p.X.Min, p.X.Max = rp.ends.Low, rp.ends.High
	p.Y.Min, p.Y.Max = 0.4-float64(len(rp.rows)), 0.6
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = names, 0, 0
	return p
}
