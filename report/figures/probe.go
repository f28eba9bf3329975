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
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

var _ = register(kind{name: "probe", many: probes})

// probes returns a figure for each probe of minimal pairs that runs have answered: accuracy on the
// test set against accuracy on the rewritings, a point for each setting.
func probes(all []*drawing) []canvas.Figure {
	var list []*runs.Run
	for _, d := range all {
		list = append(list, d.Run)
	}
	tables, _ := compare.Probes(list) // exp report says what cannot be read
	var out []canvas.Figure
	for _, t := range tables {
		if f, ok := probeFigure(t); ok {
			out = append(out, f)
		}
	}
	return out
}

func probeFigure(t *compare.ProbeTable) (canvas.Figure, bool) {
	var p probePanel
	pairs := 0
	for _, x := range t.Rows {
		if x.Set != t.Rows[0].Set {
			break
		}
		point := probePoint{name: x.Name, test: x.Test.Mean}
		point.rewritten, pairs = x.OnRewritings(t)
		p = append(p, point)
	}
	p = slices.DeleteFunc(p, func(x probePoint) bool { return !(x.test > 0) })
	if len(p) < 2 {
		return canvas.Figure{}, false
	}
	size := canvas.Tall
	size.Height = max(size.Height, vg.Length(len(p))*0.75*vg.Centimeter)
	return canvas.Figure{
		Name: "probe-" + t.Probe, Title: "The best on the test set need not read best", Size: size,
		Caption: fmt.Sprintf("accuracy on test, and on the %s of %s that people have rewritten so that another label is right; means over seeds; on the dashed line both are equal",
			format.Counted(pairs, "text"), t.Probe),
		Panels: canvas.Panels([]probePanel{p}),
	}, true
}

// probePoint is a setting.
type probePoint struct {
	name            string
	test, rewritten float64 // accuracies in percent
}

func (p probePoint) at() plotter.XY { return plotter.XY{X: p.test, Y: p.rewritten} }

type probePanel []probePoint

func (pp probePanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", "accuracy on test (%)", "accuracy on rewritings (%)")
	p.Add(s.Net(true, true))
	low, high := plotter.XY{X: math.Inf(1), Y: math.Inf(1)}, plotter.XY{}
	for _, x := range pp {
		at := x.at()
		low, high = plotter.XY{X: min(low.X, at.X), Y: min(low.Y, at.Y)}, plotter.XY{X: max(high.X, at.X), Y: max(high.Y, at.Y)}
	}
	p.X.Min, p.X.Max = math.Floor(low.X)-2, min(100, math.Ceil(high.X)+2)
	p.Y.Min, p.Y.Max = math.Floor(low.Y)-3, min(100, math.Ceil(high.Y)+3)
	from, to := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	if from < to {
		p.Add(canvas.Curve(plotter.XYs{{X: from, Y: from}, {X: to, Y: to}}, s.Line(0.8, canvas.Faint, 3, 3)))
	}
	var points plotter.XYs
	for _, x := range pp {
		points = append(points, x.at())
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
		var side []probePoint
		for _, point := range pp {
			if (x(point.test)-c.Min.X > st.Width(optimizers.Replace(point.name))+3*gap) == left {
				side = append(side, point)
			}
		}
		slices.SortFunc(side, func(a, b probePoint) int { return cmp.Compare(a.at().Y, b.at().Y) })
		heights := make([]vg.Length, len(side))
		for i, point := range side {
			heights[i] = y(point.at().Y)
			if i > 0 {
				heights[i] = max(heights[i], heights[i-1]+line)
			}
		}
		if n := len(side); n > 0 { // those pushed out at the top go down again
			over := heights[n-1] - (c.Max.Y - line/2)
			for i := n - 1; i >= 0 && over > 0; i-- {
				heights[i] -= over
				if i > 0 {
					over = heights[i-1] + line - heights[i]
				}
			}
		}
		for i, point := range side {
			at := vg.Point{X: x(point.test), Y: heights[i]}
			for _, near := range pp { // not on the dot of a neighbour
				dx, dy := x(near.test)-at.X, y(near.at().Y)-at.Y
				if left {
					dx = -dx
				}
				if dx > 0 && dx < 3*gap && max(dy, -dy) < line {
					at.X = x(near.test)
				}
			}
			st.XAlign = text.XLeft
			if at.X += gap; left {
				at.X, st.XAlign = at.X-2*gap, text.XRight
			}
			if d := heights[i] - y(point.at().Y); d > line/2 || d < -line/2 {
				c.StrokeLine2(s.Line(0.4, canvas.Faint), x(point.test), y(point.at().Y), at.X, at.Y)
			}
			c.FillText(st, at, optimizers.Replace(point.name))
		}
	}
}
