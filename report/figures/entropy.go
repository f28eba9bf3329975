package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"

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
		panels = append(panels, ridgePanel{title: split, colour: splitColours[split]})
	}
	for _, h := range d.histograms() {
		for i := range panels {
			if h.Where == "" && panels[i].title == h.Split {
				panels[i].ridges = append(panels[i].ridges, newRidge(h))
			}
		}
	}
	f.Size = canvas.Tall
	return d.ridges(f, slices.DeleteFunc(panels, func(p ridgePanel) bool { return len(p.ridges) == 0 }))
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
		kept, n := thinned(panels[i].ridges)
		panels[i].ridges, every = kept, max(every, n)
		for _, r := range panels[i].ridges {
			peak, end := r.peak()
			fullest, flattest, high = max(fullest, peak), min(flattest, peak), max(high, end)
		}
	}
	if o := d.counterpart; o != nil { // drawn to the same scale of entropies
		for _, h := range o.histograms() {
			_, end := newRidge(h).peak()
			high = max(high, end)
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
