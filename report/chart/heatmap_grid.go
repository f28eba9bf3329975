package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// grid plots plots in rows and columns, all with square data areas of the same size. It is
// a plotter, so a figure can have it as its only panel.
type grid struct {
	plots [][]*plot.Plot // rows of the same length
	unit  vg.Length
}

// panel returns the grid as a panel without axes.
func (g grid) panel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.HideAxes()
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(g)
	return p
}

// Plot implements plot.Plotter.
func (g grid) Plot(c draw.Canvas, _ *plot.Plot) {
	tiles := draw.Tiles{Rows: len(g.plots), Cols: len(g.plots[0]), PadX: 10 * g.unit, PadY: 8 * g.unit}
	canvases := plot.Align(g.plots, tiles, c)
	for i, row := range g.plots {
		for j, p := range row {
			p.Draw(squared(p, canvases[i][j]))
		}
	}
}

// squared crops a canvas, at the right or the bottom, to make the data area of its plot a
// square.
func squared(p *plot.Plot, c draw.Canvas) draw.Canvas {
	data := p.DataCanvas(c).Size()
	if surplus := data.X - data.Y; surplus > 0 {
		return draw.Crop(c, 0, -surplus, 0, 0)
	}
	return draw.Crop(c, 0, 0, data.Y-data.X, 0)
}
