package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
)

// Waterfall draws a ladder: on the left how the test accuracy falls and rises from
// the original to the default, with a bar for each slip that is mended; on the right what
// each slip alone does to the default, the largest at the top. Of a ladder without an
// original it shows what each setting adds and what its removal costs. Whiskers are the
// 95 % intervals of single changes; a change within noise after correction is grey.
func Waterfall(l *compare.Ladder) canvas.Figure {
	what, steps, single := "slip", "taken out one by one", "put back alone"
	if l.Built {
		what, steps, single = "setting", "added one by one", "left out alone"
	}
	f := canvas.Figure{Name: format.FileName("ladder-" + l.Title), Title: fmt.Sprintf("What each %s does to the test accuracy: %s", what, l.Title)}
	f.Caption = "whiskers: 95 % intervals of the changes over seeds and reviews, each for itself · colours: by p after Holm's correction"
	down := fallPanel{title: steps, unit: "accuracy on test (%)", rungs: l.Down, falls: true}
	if slices.ContainsFunc(down.bars(), func(b fall) bool { return b.low < 0 || b.high > fullAccuracy }) {
		f.Caption += " · one without an end goes on beyond the axis"
	}
	var seeds []int
	for _, r := range slices.Concat(l.Down, l.Alone) {
		if r.Comparison != nil {
			seeds = append(seeds, r.Comparison.Seeds[:]...)
		}
	}
	if len(seeds) > 0 {
		f.Caption += " · " + span(seeds) + " seeds each"
	}
	for _, e := range []struct {
		name   string
		colour color.NRGBA
	}{{"better", canvas.Green}, {"worse", canvas.Vermillion}, {"within noise", canvas.Faint}} {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: e.name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(5, e.colour) }})
	}
	f.Size = rowsOf(max(len(l.Down)+1, len(l.Alone)), 0.6, 3.6)
	f.Panels = canvas.Panels([]fallPanel{down, {title: single, unit: "change in accuracy (points)", rungs: l.Alone}})
	return f
}

// fullAccuracy bounds drawn accuracies, in percent: an interval of a change
// may add up to more.
const fullAccuracy = 100

// fallPanel draws rungs from top to bottom, row i at y = −i; falls begins each bar
// where the last one ended, else all begin at 0.
type fallPanel struct {
	title, unit string
	rungs       []compare.Rung
	falls       bool
}

// fall is one bar.
type fall struct {
	label     string
	from, to  float64
	low, high float64 // of its whisker
	colour    color.NRGBA
	missing   bool
}

func (fp fallPanel) bars() (bars []fall) {
	for i, r := range fp.rungs {
		c := r.Comparison
		if c == nil {
			bars = append(bars, fall{label: r.Name(), missing: true})
			continue
		}
		base := 0.0
		if fp.falls {
			base = c.Accuracy[0].Mean
			if i == 0 { // where it begins: a bar of no length
				bars = append(bars, fall{c.First, base, base, base, base, canvas.Ink, false})
			}
		}
		b := fall{r.Name(), base, base + c.Difference, base + c.Interval.Low, base + c.Interval.High, canvas.Vermillion, false}
		switch {
		case c.Noise():
			b.colour = canvas.Faint
		case c.Difference > 0:
			b.colour = canvas.Green
		}
		bars = append(bars, b)
	}
	return bars
}

func (fp fallPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(fp.title, fp.unit, "")
	p.Add(s.Net(true, false))
	bars := fp.bars()
	var labels []string
	e := ends{math.Inf(1), math.Inf(-1)}
	for _, b := range bars {
		labels = append(labels, canvas.WrapLabel(b.label, 24))
		if !b.missing {
			e = e.with(ends{min(b.from, b.low), max(b.from, b.high)})
		}
	}
	if !fp.falls { // changes always show their zero
		e = e.with(ends{0, 0})
	} else if e.low > e.high {
		e = ends{0, 0}
	}
	margin := max(0.06*e.span(), 0.1)
	p.X.Min, p.X.Max = e.low-margin, e.high+margin
	if fp.falls {
		p.X.Min, p.X.Max = max(p.X.Min, 0), min(p.X.Max, fullAccuracy)
	}
	downwards(p, labels, 0.7)
	p.Add(canvas.Plotter(func(c draw.Canvas, p *plot.Plot) { fp.plot(c, p, s, bars) }))
	return p
}

// downwards labels rows from top to bottom, row i at y = −i; top is the room above the first.
func downwards(p *plot.Plot, labels []string, top float64) {
	var names plot.ConstantTicks
	for i, label := range labels {
		names = append(names, plot.Tick{Value: -float64(i), Label: label})
	}
	p.Y.Min, p.Y.Max = 1-top-float64(len(labels)), top
	p.Y.Tick.Marker, p.Y.Tick.Length = names, 0
	p.Y.LineStyle.Width = 0
}

// plot draws the bars.
func (fp fallPanel) plot(c draw.Canvas, p *plot.Plot, s canvas.Style, bars []fall) {
	xs, ys := p.Transforms(&c)
	if !fp.falls {
		c.StrokeLine2(s.Line(0.8, canvas.Faint), xs(0), c.Min.Y, xs(0), c.Max.Y)
	}
	for i, b := range bars {
		y, half := ys(-float64(i)), 4*s.Unit
		upright := func(line draw.LineStyle, x float64, half vg.Length) {
			c.StrokeLine2(line, xs(x), y-half, xs(x), y+half)
		}
		if b.missing {
			st := s.Text(7, canvas.Faint)
			st.YAlign = draw.YCenter
			c.FillText(st, vg.Point{X: c.Min.X + 4*s.Unit, Y: y}, "not run yet")
			continue
		}
		if i > 0 && fp.falls && !bars[i-1].missing { // from where the bar above ended
			c.StrokeLine2(s.Line(0.5, canvas.Faint, 1.5, 1.5), xs(b.from), ys(-float64(i-1)), xs(b.from), y)
		}
		if b.from == b.to {
			upright(s.Line(1.6, b.colour), b.from, half)
		} else {
			pale := b.colour
			pale.A = 0x90
			c.FillPolygon(pale, []vg.Point{{X: xs(b.from), Y: y - half}, {X: xs(b.to), Y: y - half}, {X: xs(b.to), Y: y + half}, {X: xs(b.from), Y: y + half}})
		}
		if b.low < b.high {
			whisker := s.Line(1, canvas.Ink)
			c.StrokeLine2(whisker, xs(max(b.low, p.X.Min)), y, xs(min(b.high, p.X.Max)), y)
			for _, end := range []float64{b.low, b.high} {
				if end >= p.X.Min && end <= p.X.Max { // one that goes on beyond the axis has no end
					upright(whisker, end, half/2)
				}
			}
		}
	}
}
