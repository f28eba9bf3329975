package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

var _ = register(kind{name: "probe", many: probes})

// probes returns a figure for each probe of minimal pairs that runs have answered: accuracy on the
// test set against accuracy on the rewritings, a point for each setting.
func probes(all []*drawing) (out []canvas.Figure) {
	tables, _ := compare.Probes(report.Each(all, func(d *drawing) *runs.Run { return d.Run })) // exp report says what cannot be read
	for _, t := range tables {
		var p probePanel
		pairs := 0
		for _, x := range t.Rows {
			accuracy, n := x.OnRewritings(t)
			if pairs = n; x.Set == t.Rows[0].Set && x.Test.Mean > 0 {
				p = append(p, probePoint{plotter.XY{X: x.Test.Mean, Y: accuracy}, x.Name})
			}
		}
		if len(p) < 2 {
			continue
		}
		size := canvas.Tall
		size.Height = max(size.Height, vg.Length(len(p))*0.75*vg.Centimeter)
		out = append(out, canvas.Figure{
			Name: "probe-" + t.Probe, Title: "The best on the test set need not read best", Size: size,
			Caption: fmt.Sprintf("accuracy on test, and on the %s of %s that people have rewritten so that another label is right; means over seeds; on the dashed line both are equal",
				format.Counted(pairs, "text"), t.Probe),
			Panels: canvas.Panels([]probePanel{p}),
		})
	}
	return out
}

// probePoint is a setting: its accuracies on test and on the rewritings, in percent.
type probePoint struct {
	plotter.XY
	name string
}

type probePanel []probePoint

func (pp probePanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", "accuracy on test (%)", "accuracy on rewritings (%)")
	p.Add(s.Net(true, true))
	points := plotter.XYs(report.Each(pp, func(x probePoint) plotter.XY { return x.XY }))
	left, right, low, high := plotter.XYRange(points)
	p.X.Min, p.X.Max = math.Floor(left)-2, min(100, math.Ceil(right)+2)
	p.Y.Min, p.Y.Max = math.Floor(low)-3, min(100, math.Ceil(high)+3)
	from, to := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	if from < to {
		p.Add(canvas.Curve(plotter.XYs{{X: from, Y: from}, {X: to, Y: to}}, s.Line(0.8, canvas.Faint, 3, 3)))
	}
	dots := canvas.Dots(s, points, s.Line(1.3, canvas.Blue))
	dots.Radius *= 1.3
	p.Add(dots, canvas.Plotter(func(c draw.Canvas, p *plot.Plot) { pp.labels(c, p, s) }))
	return p
}

// optimizers removes the default optimizers from names.
var optimizers = strings.NewReplacer(" adam", "", " newton", "")

// labels writes the names of settings to the left of their points, or to the right where there is no
// room, and moves overlapping names apart.
func (pp probePanel) labels(c draw.Canvas, p *plot.Plot, s canvas.Style) {
	x, y := p.Transforms(&c)
	st := s.Text(7, canvas.Ink)
	st.YAlign = text.YCenter
	gap, line := 4*s.Unit, 9*s.Unit
	for _, left := range []bool{true, false} {
		side := slices.DeleteFunc(slices.Clone(pp), func(point probePoint) bool {
			return (x(point.X)-c.Min.X > st.Width(optimizers.Replace(point.name))+3*gap) != left
		})
		slices.SortFunc(side, func(a, b probePoint) int { return cmp.Compare(a.Y, b.Y) })
		heights := make([]vg.Length, len(side))
		for i, point := range side {
			heights[i] = y(point.Y)
			if i > 0 {
				heights[i] = max(heights[i], heights[i-1]+line)
			}
		}
		ceiling := c.Max.Y - line/2 // those pushed out at the top go down again
		for i := len(side) - 1; i >= 0 && heights[i] > ceiling; i-- {
			heights[i] = ceiling
			ceiling -= line
		}
		for i, point := range side {
			at := vg.Point{X: x(point.X), Y: heights[i]}
			for _, near := range pp { // not on the dot of a neighbour
				dx, dy := x(near.X)-at.X, y(near.Y)-at.Y
				if left {
					dx = -dx
				}
				if dx > 0 && dx < 3*gap && max(dy, -dy) < line {
					at.X = x(near.X)
				}
			}
			st.XAlign = text.XLeft
			if at.X += gap; left {
				at.X, st.XAlign = at.X-2*gap, text.XRight
			}
			if d := heights[i] - y(point.Y); d > line/2 || d < -line/2 {
				c.StrokeLine2(s.Line(0.4, canvas.Faint), x(point.X), y(point.Y), at.X, at.Y)
			}
			c.FillText(st, at, optimizers.Replace(point.name))
		}
	}
}
