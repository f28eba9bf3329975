package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"imdbexp/runs"
)

// steep is how much fuller the fullest bin of one epoch may be than that of
// another before heights become square roots: with the penalty all reviews end
// in one bin, and the first epochs would look like nothing.
const steep = 6

// splitColours are those of the histograms of a split.
var splitColours = map[string]color.NRGBA{"train": blue, "test": vermillion}

// entropies fills in the histograms of the attention's entropies; false when the
// run has none. Those of single layers and heads are left to a figure of their own.
func (d *drawing) entropies(f *Figure) bool {
	var panels []ridgePanel
	for _, split := range []string{"train", "test"} {
		panels = append(panels, ridgePanel{title: split, colour: splitColours[split]})
	}
	for _, h := range d.histograms() {
		for i := range panels {
			if h.Where == "" && panels[i].title == h.Split {
				panels[i].ridges = append(panels[i].ridges, newRidge(h))
			}
		}
	}
	f.size = Tall
	return d.ridges(f, panels)
}

// maxHeads bounds the panels of a figure of layers and heads.
const maxHeads = 48

// heads fills in the histograms of single layers and heads, a row a layer, on
// test if there are any; false when the run has none.
func (d *drawing) heads(f *Figure) bool {
	type place struct{ layer, head int }
	histograms := d.histograms()
	split := "test"
	if !slices.ContainsFunc(histograms, func(h runs.Histogram) bool { return h.Where != "" && h.Split == split }) {
		split = "train"
	}
	byPlace := map[place][]ridge{}
	layers, heads := 0, 0
	for _, h := range histograms {
		var at place
		// The whole text must fit: "layer 1 head 2 of log n" is another number.
		if n, _ := fmt.Sscanf(h.Where, "layer %d head %d", &at.layer, &at.head); n < 2 || h.Where != fmt.Sprintf("layer %d head %d", at.layer, at.head) {
			continue
		}
		if h.Split == split && min(at.layer, at.head) > 0 && at.layer*at.head <= maxHeads {
			byPlace[at] = append(byPlace[at], newRidge(h))
			layers, heads = max(layers, at.layer), max(heads, at.head)
		}
	}
	var panels []ridgePanel
	for l := 1; l <= layers; l++ {
		for h := 1; h <= heads; h++ {
			panels = append(panels, ridgePanel{
				title: fmt.Sprintf("layer %d head %d", l, h), colour: splitColours[split], ridges: byPlace[place{l, h}],
				noX: l < layers, noY: h > 1, narrow: heads > 2,
			})
		}
	}
	f.columns = heads
	if heads == 1 { // layers side by side
		f.columns, layers = layers, 1
		for i := range panels {
			panels[i].noX, panels[i].noY, panels[i].narrow = false, i > 0, len(panels) > 2
		}
	}
	f.size = Size{Width: Page.Width, Height: 2.5*vg.Centimeter + vg.Length(layers)*5*vg.Centimeter, DPI: Page.DPI}
	f.Caption = " · " + split
	return d.ridges(f, panels)
}

// histograms returns those of the run that can be drawn.
func (d *drawing) histograms() []runs.Histogram {
	all, _ := d.run.Entropies() // a damaged rest is noted already
	return slices.DeleteFunc(all, func(h runs.Histogram) bool {
		return newRidge(h).total() <= 0 || !(h.Step > 0) || max(h.Step, math.Abs(h.Lo)) > drawableMax
	})
}

func newRidge(h runs.Histogram) ridge {
	r := ridge{epoch: h.Epoch, low: h.Lo, step: h.Step, counts: make([]float64, len(h.Counts))}
	for i, n := range h.Counts {
		r.counts[i] = float64(n)
	}
	return r
}

// ridges fills in panels of histograms, all to the same scales; false when there
// is nothing in them. Panels without histograms are left out.
func (d *drawing) ridges(f *Figure, panels []ridgePanel) bool {
	panels = slices.DeleteFunc(panels, func(p ridgePanel) bool { return len(p.ridges) == 0 })
	if len(panels) == 0 {
		return false
	}
	every := 1
	fullest, flattest, high := 0.0, math.Inf(1), 0.0
	for i := range panels {
		panels[i].ridges, every = thinned(panels[i].ridges)
		for _, r := range panels[i].ridges {
			peak, end := r.peak()
			fullest, flattest, high = max(fullest, peak), min(flattest, peak), max(high, end)
		}
	}
	uniform := d.test().uniform
	for i := range panels {
		p := &panels[i]
		p.peak, p.high, p.root, p.uniform = fullest, math.Ceil(high+0.2), fullest > steep*flattest, uniform
	}
	heights := "share of the reviews"
	if panels[0].root {
		heights = "square root of the share of the reviews"
	}
	if every > 1 {
		f.Caption += fmt.Sprintf(" · a ridge every %d epochs", every)
	}
	f.Caption += " · heights: " + heights + " · dashes: 0 (one word)"
	if uniform > 0 {
		f.Caption += " and the median over the test reviews of log n (uniform attention)"
	}
	f.panels = drawn(panels)
	return true
}

// maxRidges bounds the ridges of a panel: more run into each other.
const maxRidges = 50

// thinned returns the ridges of the first epoch, of every n-th, and of the last.
func thinned(all []ridge) (kept []ridge, every int) {
	every = (len(all) + maxRidges - 1) / maxRidges
	for i, r := range all {
		if every == 1 || i == 0 || i == len(all)-1 || (i+1)%every == 0 {
			kept = append(kept, r)
		}
	}
	return kept, every
}
