package figures

import (
	"fmt"
	"image/color"
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
	f := canvas.Figure{Name: format.FileName("ladder-" + l.Title), Title: "What each slip does to the test accuracy: " + l.Title}
	steps, single := "taken out one by one", "put back alone"
	if l.Built {
		f.Title = "What each setting does to the test accuracy: " + l.Title
		steps, single = "added one by one", "left out alone"
	}
	f.Caption = "whiskers: 95 % intervals of the changes over seeds and reviews, each for itself · colours: by p after Holm's correction"
	down := fallPanel{title: steps, unit: "accuracy on test (%)", rungs: l.Down, falls: true}
	if bars, _ := down.bars(); slices.ContainsFunc(bars, func(b fall) bool { return b.low < 0 || b.high > fullAccuracy }) {
		f.Caption += " · one without an end goes on beyond the axis"
	}
	if seeds := seedsOf(l); seeds != "" {
		f.Caption += " · " + seeds
	}
	for _, e := range []struct {
		name   string
		colour color.NRGBA
	}{{"better", canvas.Green}, {"worse", canvas.Vermillion}, {"within noise", canvas.Faint}} {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: e.name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(5, e.colour) }})
	}
	rows := max(len(l.Down)+1, len(l.Alone))
	f.Size = canvas.Size{Width: canvas.Page.Width, Height: 3.6*vg.Centimeter + vg.Length(rows)*0.6*vg.Centimeter, DPI: canvas.Page.DPI}
	f.Panels = canvas.Panels([]fallPanel{
		down,
		{title: single, unit: "change in accuracy (points)", rungs: l.Alone},
	})
	return f
}

// seedsOf says how many seeds the states have.
func seedsOf(l *compare.Ladder) string {
	least, most := 0, 0
	for _, r := range append(append([]compare.Rung(nil), l.Down...), l.Alone...) {
		if r.Comparison == nil {
			continue
		}
		for _, n := range r.Comparison.Seeds {
			if least == 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
	}
	switch {
	case most == 0:
		return ""
	case least == most:
		return fmt.Sprintf("%d seeds each", most)
	}
	return fmt.Sprintf("%d to %d seeds each", least, most)
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
	from, to  float64
	low, high float64 // of its whisker
	colour    color.NRGBA
	missing   bool
}

// bars returns the bars with their labels.
func (fp fallPanel) bars() (bars []fall, labels []string) {
	for i, r := range fp.rungs {
		c := r.Comparison
		if c == nil {
			bars, labels = append(bars, fall{missing: true}), append(labels, r.Name())
			continue
		}
		base := 0.0
		if fp.falls {
			base = c.Accuracy[0].Mean
			if i == 0 { // where it begins: a bar of no length
				bars, labels = append(bars, fall{from: base, to: base, low: base, high: base, colour: canvas.Ink}), append(labels, c.First)
			}
		}
		b := fall{from: base, to: base + c.Difference, low: base + c.Interval.Low, high: base + c.Interval.High, colour: canvas.Vermillion}
		switch {
		case c.Noise():
			b.colour = canvas.Faint
		case c.Difference > 0:
			b.colour = canvas.Green
		}
		bars, labels = append(bars, b), append(labels, r.Name())
	}
	return bars, labels
}

func (fp fallPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(fp.title, fp.unit, "")
	p.Add(s.Net(true, false))
	bars, labels := fp.bars()
	var names plot.ConstantTicks
	low, high, any := 0.0, 0.0, !fp.falls // changes always show their zero
	for i, b := range bars {
		names = append(names, plot.Tick{Value: -float64(i), Label: canvas.WrapLabel(labels[i], 24)})
		if b.missing {
			continue
		}
		if !any {
			low, high, any = b.from, b.from, true
		}
		low, high = min(low, b.from, b.low), max(high, b.from, b.high)
	}
	margin := max(0.06*(high-low), 0.1)
	p.X.Min, p.X.Max = low-margin, high+margin
	if fp.falls {
		p.X.Min, p.X.Max = max(p.X.Min, 0), min(p.X.Max, fullAccuracy)
	}
	p.Y.Min, p.Y.Max = 0.3-float64(len(bars)), 0.7
	p.Y.Tick.Marker, p.Y.Tick.Length = names, 0
	p.Y.LineStyle.Width = 0
	p.Add(canvas.Plotter(func(c draw.Canvas, p *plot.Plot) { fp.plot(c, p, s, bars) }))
	return p
}

// plot draws the bars.
func (fp fallPanel) plot(c draw.Canvas, p *plot.Plot, s canvas.Style, bars []fall) {
	xs, ys := p.Transforms(&c)
	if !fp.falls {
		c.StrokeLine2(s.Line(0.8, canvas.Faint), xs(0), c.Min.Y, xs(0), c.Max.Y)
	}
	for i, b := range bars {
		y, half := ys(-float64(i)), 4*s.Unit
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
			c.StrokeLine2(s.Line(1.6, b.colour), xs(b.from), y-half, xs(b.from), y+half)
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
					c.StrokeLine2(whisker, xs(end), y-half/2, xs(end), y+half/2)
				}
			}
		}
	}
}
