package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
	"imdbexp/runs"
)

var _ = register(kind{
	name: "entropy", shows: "entropy of the attention", one: (*drawing).entropies,
	published: []Entry{
		{Number: 4, Experiment: "tme9-simple", Optimizer: "sgd"},
		{Number: 10, Experiment: "tme9-values", Optimizer: "sgd"},
		{Number: 13, Experiment: "tme9-lstm", Optimizer: "sgd"}, // the figure names no optimiser; the text says SGD
		{Number: 15, Experiment: "tme9-entropy", Optimizer: "sgd"},
		{Number: 16, Experiment: "tme9-simple", Optimizer: "adam"},
	},
})

// steep is how much fuller the fullest bin of one epoch may be than that of
// another before heights become square roots: with the penalty all reviews end
// in one bin, and the first epochs would look flat.
const steep = 6

// splitColours are the colours of a split's histograms.
var splitColours = map[string]color.NRGBA{"train": canvas.Blue, "test": canvas.Vermillion}

// entropies fills in the histograms of the attention's entropies; false when the
// run has none. Single layers and heads have a figure of their own.
func (d *drawing) entropies(f *canvas.Figure) bool {
	var panels []ridgePanel
	for _, split := range []string{"train", "test"} {
		p := ridgePanel{title: split, colour: splitColours[split]}
		for _, h := range d.histograms() {
			if h.Where == "" && h.Split == split {
				p.ridges = append(p.ridges, newRidge(h))
			}
		}
		if len(p.ridges) > 0 {
			panels = append(panels, p)
		}
	}
	f.Size = canvas.Tall
	return d.ridges(f, panels)
}

// histograms returns the histograms of the run that can be drawn.
func (d *drawing) histograms() []runs.Histogram {
	all, _ := d.Run.Entropies() // a damaged rest is noted already
	return slices.DeleteFunc(all, func(h runs.Histogram) bool {
		return newRidge(h).total() <= 0 || !(h.Step > 0) || max(h.Step, math.Abs(h.Lo)) > canvas.DrawableMax
	})
}

func newRidge(h runs.Histogram) ridge {
	r := ridge{epoch: h.Epoch, low: h.Lo, step: h.Step, counts: make([]float64, len(h.Counts))}
	for i, n := range h.Counts {
		r.counts[i] = float64(n)
	}
	return r
}

// ridges fills in panels of histograms, all to the same scales; false when they
// are all empty. The place of a panel without histograms stays empty.
func (d *drawing) ridges(f *canvas.Figure, panels []ridgePanel) bool {
	if !slices.ContainsFunc(panels, func(p ridgePanel) bool { return len(p.ridges) > 0 }) {
		return false
	}
	every := 1
	fullest, flattest, high := 0.0, math.Inf(1), 0.0
	for i := range panels {
		all := panels[i].ridges
		n := (len(all) + 49) / 50 // more than 50 ridges run into each other: the first, every n-th, and the last are kept
		panels[i].ridges, every = nil, max(every, n)
		for k, r := range all {
			if n == 1 || k == 0 || k == len(all)-1 || (k+1)%n == 0 {
				panels[i].ridges = append(panels[i].ridges, r)
			}
		}
		for _, r := range panels[i].ridges {
			peak, end := r.peak()
			fullest, flattest, high = max(fullest, peak), min(flattest, peak), max(high, end)
		}
	}
	uniform := d.test().uniform
	for i := range panels {
		p := &panels[i]
		p.peak, p.high, p.root, p.uniform = fullest, math.Ceil(high+0.2), fullest > steep*flattest, uniform.Nats
	}
	unit := d.Config.Data.Unit()
	heights := "share of the " + unit
	if panels[0].root {
		heights = "square root of the " + heights
	}
	if every > 1 {
		f.Caption += fmt.Sprintf(" · a ridge every %d epochs", every)
	}
	f.Caption += " · heights: " + heights + " · dashes: 0 (one word)"
	switch {
	case uniform.Nats > 0:
		f.Caption += fmt.Sprintf(" and log n of the %s length of the test %s (uniform attention)", uniform.At, unit)
	case d.Config.Padded():
		f.Caption += "; uniform attention has more than log n, for padding takes part"
	}
	f.Panels = canvas.Panels(panels)
	return true
}

// ridge is the histogram of one epoch: counts[i] reviews lie in
// [low + i·step, low + (i+1)·step).
type ridge struct {
	epoch     int
	low, step float64
	counts    []float64
}

func (r ridge) total() (sum float64) {
	for _, c := range r.counts {
		sum += c
	}
	return sum
}

// ridgePanel is one panel of histograms of the attention's entropy, one ridge
// an epoch, the first at the back and the last in front, as TensorBoard draws
// them.
type ridgePanel struct {
	title  string
	colour color.NRGBA
	ridges []ridge // by epoch
	peak   float64 // share of the reviews in the fullest bin of the whole figure
	high   float64 // right end of the x axis, nats
	root   bool    // heights are square roots of the shares

	uniform float64 // entropy of uniform attention, nats; 0: not marked
	narrow  bool    // too narrow for words at the marks
}

// overlap is how many epochs' spacings the highest ridge rises, as a share of
// all of them: a figure of 5 epochs and one of 100 look alike.
const overlap = 0.22

func (rp ridgePanel) Draw(s canvas.Style) *plot.Plot {
	if len(rp.ridges) == 0 {
		return nil // an empty place
	}
	p := s.Panel(rp.title, "entropy of the attention (nats)", "epoch")
	first, last := rp.ridges[0].epoch, rp.ridges[len(rp.ridges)-1].epoch
	span := float64(max(1, last-first))
	p.Add(canvas.Plotter(func(c draw.Canvas, p *plot.Plot) { rp.plot(c, p, s, span*overlap/(1-overlap)) }))
	high := rp.mark(p, s)
	// Time runs downwards: the epoch axis is drawn on its negative.
	p.Y.Min, p.Y.Max = -float64(last)-0.02*span, -float64(first)+span*(overlap/(1-overlap)+0.09) // with room for the marks' labels
	p.Y.Tick.Marker = canvas.WholeTicks(canvas.EpochTicks(first, last, 6), -1)
	p.X.Min, p.X.Max = -0.06*high, high
	if rp.narrow {
		p.X.Label.Text, p.X.Tick.Marker = "entropy (nats)", canvas.Ticks{N: 4}
	}
	return p
}

// mark marks the smallest and the largest entropy that a review of usual length may
// have, and returns the right end of the x axis.
func (rp ridgePanel) mark(p *plot.Plot, s canvas.Style) (high float64) {
	dashed, text := s.Line(0.7, canvas.Faint, 2, 2), s.Text(6.5, canvas.Faint)
	word, uniform := "one word", "uniform"
	if rp.narrow {
		word, uniform = "0", "log n"
	}
	p.Add(canvas.Upright{X: 0, Label: word, Line: dashed, Text: text})
	if at := rp.uniform; at > 0 {
		if !rp.narrow {
			uniform = fmt.Sprintf("%s, %.1f", uniform, at)
		}
		p.Add(canvas.Upright{X: at, Label: uniform, Line: dashed, Text: text})
		return max(rp.high, math.Ceil(at))
	}
	return rp.high
}

// peak returns the largest share of the reviews in one bin, and where the last
// bin that holds any ends.
func (r ridge) peak() (share, end float64) {
	total := r.total()
	for b, n := range r.counts {
		if n > 0 {
			share, end = max(share, n/total), r.low+float64(b+1)*r.step
		}
	}
	return share, end
}

// plot draws the ridges; tallest is the height of the fullest bin, in epochs.
func (rp ridgePanel) plot(c draw.Canvas, p *plot.Plot, s canvas.Style, tallest float64) {
	xs, ys := p.Transforms(&c)
	for i, r := range rp.ridges {
		total := r.total()
		if total <= 0 || r.step <= 0 {
			continue
		}
		base := -float64(r.epoch)
		at := func(x, share float64) vg.Point {
			h := share / rp.peak
			if rp.root {
				h = math.Sqrt(h)
			}
			return vg.Point{X: xs(x), Y: ys(base + h*tallest)}
		}
		outline := r.outline(total, rp.high, at)
		if len(outline) == 0 {
			continue
		}
		left, right := outline[0], outline[len(outline)-1]
		left.Y, right.Y = ys(base), ys(base)
		t := 0.0
		if len(rp.ridges) > 1 {
			t = float64(i) / float64(len(rp.ridges)-1)
		}
		area := append(outline[:len(outline):len(outline)], right, left)
		c.FillPolygon(canvas.Paper, area) // hides those behind
		c.FillPolygon(canvas.Faded(rp.colour, 0.25+0.6*t), area)
		// Many dark edges would run together: beyond some, ridges part by white.
		edge := s.Line(0.7, rp.colour)
		if len(rp.ridges) > 25 {
			edge = s.Line(min(0.45, 18/float64(len(rp.ridges))), canvas.Paper)
		}
		c.StrokeLines(edge, outline)
	}
}

// outline returns the polygon through the middles of the bins, from the one
// before the first that holds anything to the one after the last. A first bin
// that is not empty starts at its own left edge, and one fuller than the next is
// drawn to its full width: a heap at zero stands on zero and is seen.
func (r ridge) outline(total, high float64, at func(x, share float64) vg.Point) (points []vg.Point) {
	for b, n := range r.counts {
		x := r.low + (float64(b)+0.5)*r.step
		if x > high {
			break
		}
		before, after := b > 0 && r.counts[b-1] > 0, b+1 < len(r.counts) && r.counts[b+1] > 0
		if b == 0 && n > 0 {
			points = append(points, at(r.low, n/total))
			if len(r.counts) > 1 && n > r.counts[1] {
				x = r.low + r.step
			}
		}
		if n > 0 || before || after || len(points) > 0 && r.any(b) {
			points = append(points, at(x, n/total))
		}
	}
	return points
}

// any reports whether a bin from b on holds anything.
func (r ridge) any(b int) bool {
	return slices.ContainsFunc(r.counts[b:], func(n float64) bool { return n > 0 })
}
