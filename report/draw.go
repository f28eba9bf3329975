package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/runs"
)

// curves fills in the curves of loss and accuracy, with the published numbers as
// dots where they may stand beside; false when no epoch is done.
func (d *drawing) curves(f *Figure) bool {
	epochs, _ := d.run.Metrics() // a damaged rest is noted already
	if len(epochs) == 0 {
		return false
	}
	loss := curvePanel{title: "loss", unit: "cross-entropy (nats)"}
	accuracy := curvePanel{title: "accuracy", unit: "accuracy (%)"}
	for _, split := range []struct {
		name      string
		loss, acc func(Numbers) float64
	}{
		{"train", func(n Numbers) float64 { return n.TrainLoss }, func(n Numbers) float64 { return n.TrainAcc }},
		{"valid", func(n Numbers) float64 { return n.ValidLoss }, func(n Numbers) float64 { return n.ValidAcc }},
		{"test", func(n Numbers) float64 { return n.TestLoss }, TestAcc},
	} {
		l, a := curve{split: split.name}, curve{split: split.name}
		for i := range epochs {
			n := numbers(&epochs[i])
			l.add(n.Epoch, split.loss(n))
			a.add(n.Epoch, split.acc(n))
		}
		if len(l.xys())+len(a.xys()) > 0 {
			loss.curves, accuracy.curves = append(loss.curves, l), append(accuracy.curves, a)
			f.legend = append(f.legend, legendEntry{name: split.name, line: func(s style) draw.LineStyle { return s.split(split.name) }})
		}
	}
	if d.Best() {
		loss.chosen, accuracy.chosen = d.Chosen.Epoch, d.Chosen.Epoch
	}
	if p := d.Config.Published; d.Comparable() {
		n := published(p)
		loss.spots = spots(p.Epochs, n.TrainLoss, n.TestLoss)
		accuracy.spots = spots(p.Epochs, n.TrainAcc, n.TestAcc)
		f.legend = append(f.legend, legendEntry{name: "published", dot: true, line: func(s style) draw.LineStyle { return s.line(1, faint) }})
	}
	var panels []curvePanel
	for _, p := range []curvePanel{loss, accuracy} {
		if p.drawable() {
			panels = append(panels, p)
		}
	}
	f.size = Page
	f.panels = func(s style) ([]*plot.Plot, error) {
		var out []*plot.Plot
		for _, p := range panels {
			drawn, err := p.draw(s)
			if err != nil {
				return nil, err
			}
			out = append(out, drawn)
		}
		return out, nil
	}
	return len(panels) > 0
}

func spots(epoch int, train, test float64) []spot {
	var out []spot
	for _, s := range []spot{{"train", epoch, train}, {"test", epoch, test}} {
		if !math.IsNaN(s.value) {
			out = append(out, s)
		}
	}
	return out
}

// steep is how much fuller the fullest bin of one epoch may be than that of
// another before heights become square roots: with the penalty all reviews end
// in one bin, and the first epochs would look like nothing.
const steep = 6

// entropies fills in the histograms of the attention's entropies; false when the
// run has none. Those of single layers and heads are left to figures of their own.
func (d *drawing) entropies(f *Figure) bool {
	histograms, _ := d.run.Entropies() // a damaged rest is noted already
	panels := []ridgePanel{{title: "train", colour: blue}, {title: "test", colour: vermillion}}
	fullest, flattest, high := 0.0, math.Inf(1), 0.0
	for _, h := range histograms {
		r := newRidge(h)
		total := r.total()
		if h.Where != "" || total <= 0 || !(h.Step > 0) || max(h.Step, math.Abs(h.Lo)) > drawableMax {
			continue
		}
		for i := range panels {
			if panels[i].title == h.Split {
				panels[i].ridges = append(panels[i].ridges, r)
			}
		}
		peak := 0.0
		for b, n := range r.counts {
			if n > 0 {
				peak = max(peak, n/total)
				high = max(high, r.low+float64(b+1)*r.step)
			}
		}
		fullest, flattest = max(fullest, peak), min(flattest, peak)
	}
	var drawn []ridgePanel
	for _, p := range panels {
		if len(p.ridges) > 0 {
			p.peak, p.high, p.root = fullest, math.Ceil(high+0.2), fullest > steep*flattest
			drawn = append(drawn, p)
		}
	}
	if len(drawn) == 0 {
		return false
	}
	f.Caption = " · heights: share of the reviews"
	if drawn[0].root {
		f.Caption = " · heights: square root of the share of the reviews"
	}
	f.size = Tall
	f.panels = func(s style) ([]*plot.Plot, error) {
		var out []*plot.Plot
		for _, p := range drawn {
			one, err := p.draw(s)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		return out, nil
	}
	return true
}

func newRidge(h runs.Histogram) ridge {
	r := ridge{epoch: h.Epoch, low: h.Lo, step: h.Step, counts: make([]float64, len(h.Counts))}
	for i, n := range h.Counts {
		r.counts[i] = float64(n)
	}
	return r
}
