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

// maxRidges is how many ridges do not run into each other: of more the first, every n-th and the last are drawn.
const maxRidges = 50

// entropies fills in the histograms; false when the run has none. Those of layers and heads are in entropy.jsonl alone.
func (d *drawing) entropies(f *canvas.Figure) bool {
	var panels []ridgePanel
	every, fullest, flattest, high := 1, 0.0, math.Inf(1), 0.0
	for _, split := range []string{"train", "test"} {
		all := d.histograms(split)
		if len(all) == 0 {
			continue
		}
		p := ridgePanel{title: split, colour: splitColours[split]}
		n := (len(all) + maxRidges - 1) / maxRidges
		every = max(every, n)
		for k, r := range all {
			if n == 1 || k == 0 || k == len(all)-1 || (k+1)%n == 0 {
				peak, end := peak(r)
				fullest, flattest, high = max(fullest, peak), min(flattest, peak), max(high, end)
				p.ridges = append(p.ridges, r)
			}
		}
		panels = append(panels, p)
	}
	if panels == nil {
		return false
	}
	uniform, root := d.test().uniform, fullest > steep*flattest
	f.Title = narrowed(panels[len(panels)-1].ridges, uniform.Nats)
	for i := range panels {
		p := &panels[i]
		p.peak, p.high, p.root, p.uniform = fullest, math.Ceil(high+0.2), root, uniform.Nats
	}
	unit := d.Config.Data.Unit()
	heights := "share of the " + unit
	if root {
		heights = "square root of the " + heights
	}
	if every > 1 {
		f.Caption += fmt.Sprintf(" · a ridge every %d epochs", every)
	}
	f.Caption += " · heights: " + heights + " · dashes: entropy 0 (all attention on one word)"
	switch {
	case uniform.Nats > 0:
		f.Caption += fmt.Sprintf(" and log n of n words, the %s length of the test %s (uniform attention)", uniform.At, unit)
	case d.Config.Padded():
		f.Caption += "; uniform attention has more than log n, for padding takes part"
	}
	f.Caption += " · spread over w words: equal weights on w words have the same mean entropy"
	f.Size, f.Panels = canvas.Tall, canvas.Panels(panels)
	return true
}

// narrowed says over how many words attention is spread. uniform is the entropy of equal weights, 0 if unknown.
func narrowed(list []runs.Histogram, uniform float64) string {
	first, last := words(list[0]), words(list[len(list)-1])
	round := func(v float64) string { return format.Fixed(v, map[bool]int{true: 1}[v < 9.95]) }
	now := round(last) + " words"
	if all := math.Exp(uniform); uniform > 0 {
		now = round(min(last, all)) + " of " + round(all) + " words"
	}
	switch {
	case last < 0.8*first:
		return fmt.Sprintf("attention narrows from %s to %s", round(first), now)
	case last > 1.25*first:
		return fmt.Sprintf("attention widens from %s to %s", round(first), now)
	}
	return "attention is spread over " + now
}

// words is e to the mean entropy, the effective number of attended words.
func words(h runs.Histogram) float64 {
	sum := 0.0
	for b, n := range h.Counts {
		sum += float64(n) * max(0, h.Lo+(float64(b)+0.5)*h.Step)
	}
	return math.Exp(sum / total(h))
}

// histograms returns the histograms of whole reviews of a split that can be drawn.
func (d *drawing) histograms(split string) []runs.Histogram {
	all, _ := d.Run.Entropies() // a damaged rest is noted already
	return slices.DeleteFunc(all, func(h runs.Histogram) bool {
		return h.Split != split || h.Where != "" || total(h) <= 0 || !(h.Step > 0) || max(h.Step, math.Abs(h.Lo)) > canvas.DrawableMax
	})
}

// total returns how many reviews a histogram has.
func total(h runs.Histogram) (sum float64) {
	for _, n := range h.Counts {
		sum += float64(n)
	}
	return sum
}

// ridgePanel has a ridge an epoch, the first at the back and the last in front, as in TensorBoard.
type ridgePanel struct {
	title  string
	colour color.NRGBA
	ridges []runs.Histogram // by epoch
	peak   float64          // share of the reviews in the fullest bin of the whole figure
	high   float64          // right end of the x axis, nats
	root   bool             // heights are square roots of the shares

	uniform float64 // entropy of uniform attention, nats; 0: not marked
}

// overlap is how high the highest ridge rises, as a share of the axis: figures of 5 epochs and of 100 look alike.
const overlap = 0.22

func (rp ridgePanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(rp.title, "entropy of the attention (nats)", "epoch")
	first, last := rp.ridges[0].Epoch, rp.ridges[len(rp.ridges)-1].Epoch
	span := float64(max(1, last-first))
	p.Add(canvas.Plotter(func(c draw.Canvas, p *plot.Plot) { rp.plot(c, p, s, span*overlap/(1-overlap)) }))
	// The smallest and the largest entropy that a review of usual length may have.
	high, dashed, text := rp.high, s.Line(0.7, canvas.Faint, 2, 2), s.Text(6.5, canvas.Faint)
	p.Add(canvas.Upright{X: 0, Label: "one word", Line: dashed, Text: text})
	if at := rp.uniform; at > 0 {
		p.Add(canvas.Upright{X: at, Label: fmt.Sprintf("uniform, %.1f", at), Line: dashed, Text: text})
		high = max(high, math.Ceil(at))
	}
	// Time runs downwards: the epoch axis is drawn on its negative.
	p.Y.Min, p.Y.Max = -float64(last)-0.02*span, -float64(first)+span*(overlap/(1-overlap)+0.09) // with room for the marks' labels
	p.Y.Tick.Marker = canvas.EpochTicks(first, last, -1)
	p.X.Min, p.X.Max = -0.06*high, high
	return p
}

// peak returns the largest share of the reviews in a bin, and the end of the last that holds any.
func peak(h runs.Histogram) (share, end float64) {
	for b, n := range h.Counts {
		if n > 0 {
			share, end = max(share, float64(n)/total(h)), h.Lo+float64(b+1)*h.Step
		}
	}
	return share, end
}

// plot draws the ridges; tallest is the height of the fullest bin, in epochs.
func (rp ridgePanel) plot(c draw.Canvas, p *plot.Plot, s canvas.Style, tallest float64) {
	xs, ys := p.Transforms(&c)
	for i, r := range rp.ridges {
		base := -float64(r.Epoch)
		at := func(x, share float64) vg.Point {
			h := share / rp.peak
			if rp.root {
				h = math.Sqrt(h)
			}
			return vg.Point{X: xs(min(x, rp.high)), Y: ys(base + h*tallest)}
		}
		// From the left end of the first bin that holds anything, through the middles, to the right end of the last.
		var outline []vg.Point
		_, end := peak(r)
		for b, n := range r.Counts {
			left := r.Lo + float64(b)*r.Step
			if n > 0 && outline == nil {
				outline = append(outline, at(left, 0))
			}
			if outline != nil && left < min(end, rp.high) {
				outline = append(outline, at(left+r.Step/2, float64(n)/total(r)))
			}
		}
		outline = append(outline, at(end, 0))
		t := 0.0
		if len(rp.ridges) > 1 {
			t = float64(i) / float64(len(rp.ridges)-1)
		}
		c.FillPolygon(canvas.Paper, outline) // hides those behind
		c.FillPolygon(canvas.Faded(rp.colour, 0.25+0.6*t), outline)
		// Many dark edges would run together: beyond some, ridges part by white.
		edge := s.Line(0.7, rp.colour)
		if len(rp.ridges) > 25 {
			edge = s.Line(min(0.45, 18/float64(len(rp.ridges))), canvas.Paper)
		}
		c.StrokeLines(edge, outline)
	}
}
