package figures

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// This file has the figures of predictions on test: calibration, and accuracy by length.

// tested is kept instead of predictions on test: those of 100 runs take half a gigabyte.
type tested struct {
	uniform     report.Uniform
	reliability []ReliabilityBin
	ece         float64 // expected calibration error, 0 … 1
	lengths     []report.LengthBin
}

// test reads the predictions of the run once. A file that cannot be read is noted with the run.
func (d *drawing) test() tested {
	if d.predicted != nil {
		return *d.predicted
	}
	d.predicted = &tested{uniform: report.UniformIn(&d.Config, &runs.Predictions{})}
	switch p, err := d.Run.Predictions(); {
	case err == nil:
		*d.predicted = tested{report.UniformIn(&d.Config, p), Reliability(p, CalibrationBins), CalibrationError(p), report.ByLength(p, lengthBins)}
	case !errors.Is(err, fs.ErrNotExist):
		d.Notes = report.Union(d.Notes, report.Note{Kind: report.Damaged, Text: err.Error()})
	}
	return *d.predicted
}

var _ = register(kind{name: "calibration", many: calibrations})

// variantColour distinguishes the variants, in other colours than train and test.
func variantColour(name string) color.NRGBA {
	return cmp.Or(map[string]color.NRGBA{"default": canvas.Green, "original": canvas.Reddish}[name], canvas.Orange)
}

// reliabilityCurve is dashed for any optimizer but Adam.
func (d *drawing) reliabilityCurve() chart.Curve {
	c := chart.Curve{Name: d.Variant() + ", " + d.Optimizer(), Shape: draw.CircleGlyph{}, Line: chart.Line(1.5, variantColour(d.Variant()))}
	if d.Optimizer() != "adam" {
		c.Line = chart.Line(1.3, variantColour(d.Variant()), 4.5, 2)
	}
	for _, b := range d.test().reliability {
		c.Points = append(c.Points, lone(100*b.Confidence, 100*b.Accuracy))
	}
	return c
}

// calibrations returns reliability diagrams: for each set of reviews a figure with a panel an experiment.
func calibrations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		kind := func(d *drawing) string { return d.Config.Name + " " + d.Variant() + " " + d.Optimizer() }
		shown, undrawn := g.oneEach(kind, func(d *drawing) bool { return len(d.test().reliability) > 0 })
		if len(shown) == 0 {
			continue
		}
		var panels []chart.LinePanel
		var who []string
		var effects []effect
		low := 50.0
		for _, models := range report.GroupBy(shown, experiment) {
			p := chart.LinePanel{Title: models[0].Config.Name, X: "confidence (%)", Y: "accuracy (%)", Ticks: canvas.Ticks{N: 5}}
			for _, d := range models {
				c := d.reliabilityCurve()
				p.Curves = append(p.Curves, c)
				who = append(who, fmt.Sprintf("%s%s %.1f", d.named(), d.ofSeeds(), 100*d.test().ece))
				effects = append(effects, overconfident(d.named(), d.test().reliability))
				for _, at := range c.Points {
					low = min(low, at.X, at.Y)
				}
			}
			panels = append(panels, p)
		}
		f := chart.Figure(mostOf(effects, "overconfident", "underconfident", "over- or underconfident"), panels...)
		perfect := chart.Curve{Name: "perfect", Line: chart.Line(0.7, canvas.Faint, 2, 2), Points: []chart.Point{lone(low, low), lone(100, 100)}}
		for i := range panels {
			p := &panels[i]
			p.Curves = append(p.Curves, perfect)
			p.XEnds = chart.Span{Low: low - 0.02*(100-low), High: 102 - 0.02*low}
			p.YEnds = p.XEnds
		}
		f.Name, f.Panels, f.Legend = "calibration-"+g.name, canvas.Panels(panels), append(f.Legend, perfect.Legend())
		f.Columns, f.Shared = min(len(panels), 3), true
		f.Size = rowsOf((len(panels)+f.Columns-1)/f.Columns, 5.2, 3.5)
		f.Caption = fmt.Sprintf("accuracy of predictions by their confidence · %s · a dot is the mean of about a %dth of the reviews; dots whose confidence differs by less than a point are merged · "+
			"overconfident: the mean confidence is above the 95 %% interval of the accuracy · ECE (expected calibration error, the mean distance from the dotted line over %d bins of equal width) in percent: %s",
			parts(resultsOf(shown), "training", "test"), CalibrationBins, stats.ECEBins, strings.Join(who, "; ")) + undrawn
		f.Runs = report.Map(resultsOf(shown), cited)
		out = append(out, f)
	}
	return out
}

// effect is a difference of a run in points, and whether it is more than noise.
type effect struct {
	name  string
	by    float64
	clear bool
}

// mostOf counts the clear effects and names the largest. more and less describe those above and below zero.
func mostOf(list []effect, more, less, neither string) string {
	names, _ := distinct(report.Map(list, func(e effect) string { return e.name }))
	for i := range list {
		list[i].name = names[i]
	}
	up := report.Filter(list, func(e effect) bool { return e.clear && e.by > 0 })
	down := report.Filter(list, func(e effect) bool { return e.clear && e.by < 0 })
	if len(down) > len(up) {
		up, down, more, less = down, up, less, more
	}
	switch {
	case len(up) == 0 && len(list) == 1:
		return list[0].name + " is not clearly " + neither
	case len(up) == 0:
		return "No run is clearly " + neither
	}
	largest := slices.MaxFunc(up, func(a, b effect) int { return cmp.Compare(math.Abs(a.by), math.Abs(b.by)) })
	by, are := format.Fixed(math.Abs(largest.by), 1)+" points", func(n int) string { return map[bool]string{true: "is", false: "are"}[n == 1] }
	text := fmt.Sprintf("%d of %d runs %s %s, by up to %s (%s)", len(up), len(list), are(len(up)), more, by, largest.name)
	switch {
	case len(list) == 1:
		return fmt.Sprintf("%s is %s by %s", largest.name, more, by)
	case len(down) > 0:
		return text + fmt.Sprintf("; %d %s %s", len(down), are(len(down)), less)
	}
	return text
}

// overconfident is the mean confidence less the accuracy, clear if outside the accuracy's 95 % interval.
func overconfident(name string, bins []ReliabilityBin) effect {
	var n, confidence, right float64
	for _, b := range bins {
		n, confidence, right = n+float64(b.Reviews), confidence+float64(b.Reviews)*b.Confidence, right+float64(b.Reviews)*b.Accuracy
	}
	return effect{name, 100 * (confidence - right) / n, !stats.Wilson(math.Round(right), n).Holds(confidence / n)}
}

// rowsOf returns the size of a figure with rows of a height and the rest around them, in centimetres.
func rowsOf(rows int, height, rest vg.Length) canvas.Size {
	return canvas.Size{Width: canvas.Page.Width, Height: rest*vg.Centimeter + vg.Length(rows)*height*vg.Centimeter, DPI: canvas.Page.DPI}
}

// CalibrationBins is how many bins the reliability of predictions is shown in.
const CalibrationBins = 12

// ReliabilityBin is a part of the reviews, of like confidence.
type ReliabilityBin struct {
	Reviews    int
	Confidence float64 // mean probability of the predicted class, 0 … 1
	Accuracy   float64 // share of the predictions that are right, 0 … 1
}

// Reliability sorts the labelled reviews by confidence, the probability of the predicted
// class, into at most that many bins of about the same number of reviews. Bins less than a point
// apart are merged: the accuracies of a run at chance, as sure of one review as of the next, are chance alone there.
// See Guo et al. 2017; for bins of equal number, Nguyen and O'Connor 2015.
func Reliability(p *runs.Predictions, bins int) (out []ReliabilityBin) {
	all := rated(p)
	confidence := func(r runs.Prediction) float64 { return float64(r.P[r.Predicted]) }
	slices.SortFunc(all, func(a, b runs.Prediction) int { return cmp.Compare(confidence(a), confidence(b)) })
	begins := math.Inf(-1)
	stats.EqualParts(len(all), bins, func(i, j int) bool { return confidence(all[i]) == confidence(all[j]) }, func(from, to int) {
		var sum, right float64
		for _, r := range all[from:to] {
			sum += confidence(r)
			if r.Label == r.Predicted {
				right++
			}
		}
		if mean := sum / float64(to-from); mean-begins >= 0.01 {
			out, begins = append(out, ReliabilityBin{}), mean
		}
		last := &out[len(out)-1]
		*last = ReliabilityBin{last.Reviews + to - from, last.Confidence + sum, last.Accuracy + right}
	})
	for i := range out {
		n := float64(out[i].Reviews)
		out[i].Confidence, out[i].Accuracy = out[i].Confidence/n, out[i].Accuracy/n
	}
	return out
}

// CalibrationError returns the expected calibration error of the labelled reviews, 0 … 1, as exp predict does (see
// stats.Scores); NaN without any.
func CalibrationError(p *runs.Predictions) float64 {
	s := stats.NewScores(len(p.Classes))
	for _, r := range rated(p) {
		s.Add(r.Label, r.Predicted, r.P)
	}
	return s.ECE()
}

// rated returns the predictions with a confidence that can be right or wrong.
func rated(p *runs.Predictions) (out []runs.Prediction) {
	return report.Filter(p.Rows, func(r runs.Prediction) bool { return r.Label >= 0 && r.P[r.Predicted] >= 0 }) // not NaN
}

var _ = register(kind{name: "length", many: lengths})
var _ = register(kind{name: "translation", many: translations})

// lengthBins is how many bins of review lengths accuracy is shown in.
const lengthBins = 10

// lengths returns figures of accuracy by the length of the review. With vectors of n-grams a run has kept the number of
// these with that of the words, so such runs have no length here.
func lengths(all []*drawing) []canvas.Figure {
	return byLength(all, byLengths{
		name: "length", texts: "reviews", x: "words", y: "accuracy (%)",
		binned: "accuracy on test reviews in bins of %s by length", log: true,
		bins: func(d *drawing) []report.LengthBin {
			if d.Config.General().NGrams > 1 || len(d.test().lengths) < 2 {
				return nil
			}
			return d.test().lengths
		},
	})
}

// translations returns figures of exact match by the length of the source.
func translations(all []*drawing) []canvas.Figure {
	return byLength(all, byLengths{
		name: "translation", texts: "sentences", x: "words of the source", y: "exact match (%)",
		binned: "exact match of greedily decoded test pairs in bins of %s by words of the source",
		bins: func(d *drawing) []report.LengthBin {
			if d.Translated == nil {
				return nil
			}
			return d.Translated.Lengths
		},
	})
}

// byLengths says what a figure shows by the length of texts.
type byLengths struct {
	name, texts, x, y string
	binned            string                            // what is in bins, of %s
	log               bool                              // where lengths span a factor of four
	bins              func(*drawing) []report.LengthBin // none of a run without
}

// byLength returns a figure for each set of reviews, with a panel for each experiment's best run, the others grey.
func byLength(all []*drawing, by byLengths) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		shown, undrawn := g.oneEach(experiment, func(d *drawing) bool { return len(by.bins(d)) > 0 })
		if len(shown) == 0 {
			continue
		}
		p := chart.LinePanel{X: by.x, Y: by.y, Margin: margin, Ticks: canvas.Ticks{N: 5}, Scale: chart.AccuracyScale(guessed(g.list))}
		var who []string
		var effects []effect
		var sizes []int // differ because texts of one length stay together
		for i, d := range shown {
			c := chart.Numbered(d.Config.Name, i, nil)
			c.Bars = true
			for _, b := range by.bins(d) {
				w := stats.Wilson(float64(b.Right), float64(b.Reviews))
				c.Points = append(c.Points, chart.Point{X: float64(max(1, b.Words)), Y: 100 * b.Accuracy(), Low: 100 * w.Low, High: 100 * w.High})
				sizes = append(sizes, b.Reviews)
			}
			p.Others = append(p.Others, c)
			who, effects = append(who, d.named()+d.ofSeeds()), append(effects, worseIfLong(d.named(), by.bins(d)))
		}
		if across, _ := p.Extent(); by.log && across.High >= 4*across.Low {
			p.Log, p.X, p.Ticks = true, p.X+" (logarithmic)", canvas.DecadeTicks{1, 2, 5}
		}
		var panels []chart.LinePanel
		for i, c := range p.Others {
			own := p
			own.Title, own.Curves = c.Name, p.Others[i:i+1]
			panels = append(panels, own)
		}
		f := canvas.Figure{Name: by.name + "-" + g.name, Columns: min(3, len(panels)), Shared: true, Panels: canvas.Panels(panels)}
		f.Size = rowsOf((len(panels)+2)/3, 4.6, 3.5)
		f.Title = mostOf(effects, "worse on long "+by.texts, "better on long "+by.texts, "worse or better on long "+by.texts)
		f.Runs = report.Map(resultsOf(shown), cited)
		f.Caption = fmt.Sprintf("%s · %s; long and short: the last and the first third of the bins; bars: 95 %% Wilson intervals · %s", parts(resultsOf(shown), "training", "test"), fmt.Sprintf(by.binned, span(sizes)), strings.Join(who, "; "))
		if len(shown) > 1 {
			f.Caption += " · grey: the other models"
		}
		f.Caption += undrawn
		out = append(out, f)
	}
	return out
}

// worseIfLong is the accuracy on short texts less that on long ones, clear if its 95 % interval excludes 0.
func worseIfLong(name string, bins []report.LengthBin) effect {
	var n, right [2]float64
	for i := range max(1, len(bins)/3) {
		for k, b := range []report.LengthBin{bins[i], bins[len(bins)-1-i]} {
			n[k], right[k] = n[k]+float64(b.Reviews), right[k]+float64(b.Right)
		}
	}
	return effect{name, 100 * (right[0]/n[0] - right[1]/n[1]), !stats.Unpaired(right[0], n[0], right[1], n[1]).Holds(0)}
}

// margin is the share of an axis at its ends, for marks.
const margin = 0.03
