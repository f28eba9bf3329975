package figures

import (
	"cmp"
	"fmt"
	"image/color"
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

var _ = register(kind{name: "calibration", many: calibrations})

// variantColour distinguishes the variants, in other colours than train and test.
func variantColour(name string) color.NRGBA {
	return cmp.Or(map[string]color.NRGBA{"default": canvas.Green, "original": canvas.Reddish}[name], canvas.Orange)
}

// reliabilityCurve is the reliability of a run, in a colour for the variant, dashed for any optimizer but Adam.
func (d *drawing) reliabilityCurve() chart.Curve {
	c := chart.Curve{Name: d.Variant() + ", " + d.Optimizer(), Shape: draw.CircleGlyph{}, Look: chart.Look(1.5, variantColour(d.Variant()))}
	if d.Optimizer() != "adam" {
		c.Look = chart.Look(1.3, variantColour(d.Variant()), 4.5, 2)
	}
	for _, b := range d.test().reliability {
		c.Points = append(c.Points, lone(100*b.Confidence, 100*b.Accuracy))
	}
	return c
}

// calibrations returns reliability diagrams: for each set of reviews a figure with
// a panel an experiment.
func calibrations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		kind := func(d *drawing) string { return d.Config.Name + " " + d.Variant() + " " + d.Optimizer() }
		shown, undrawn := g.oneEach(kind, func(d *drawing) bool { return len(d.test().reliability) > 0 })
		if len(shown) == 0 {
			continue
		}
		var panels []chart.LinePanel
		var who []string
		low := 50.0
		for _, models := range report.GroupBy(shown, experiment) {
			p := chart.LinePanel{Title: models[0].Config.Name, X: "confidence (%)", Y: "accuracy (%)", Ticks: canvas.Ticks{N: 5}}
			caption := p.Title
			for _, d := range models {
				c := d.reliabilityCurve()
				p.Curves = append(p.Curves, c)
				caption += fmt.Sprintf(" %s (%s%s, ECE %.1f %%)", format.Short(d.Config.ID), c.Name, d.ofSeeds(), 100*d.test().ece)
				for _, at := range c.Points {
					low = min(low, at.X, at.Y)
				}
			}
			panels, who = append(panels, p), append(who, caption)
		}
		f := chart.Figure("Calibration: accuracy of predictions by their confidence", panels...)
		perfect := chart.Curve{Name: "perfect", Look: chart.Look(0.7, canvas.Faint, 2, 2), Points: []chart.Point{lone(low, low), lone(100, 100)}}
		for i := range panels {
			p := &panels[i]
			p.Curves = append(p.Curves, perfect)
			p.XEnds = chart.Ends{Low: low - 0.02*(100-low), High: 102 - 0.02*low}
			p.YEnds = p.XEnds
		}
		f.Name, f.Panels, f.Legend = "calibration-"+g.name, canvas.Panels(panels), append(f.Legend, perfect.Legend())
		f.Columns, f.Shared = min(len(panels), 3), true
		f.Size = rowsOf((len(panels)+f.Columns-1)/f.Columns, 5.2, 3.5)
		f.Caption = fmt.Sprintf("%s · a dot is one of %d bins of about equal number, or several where less than a point of confidence parts them; ECE (expected calibration error): mean |accuracy − confidence| over %d bins of equal width, by reviews, as of exp predict · %s",
			g.title, CalibrationBins, stats.ECEBins, strings.Join(who, " · ")) + nearMedian(shown) + undrawn
		out = append(out, f)
	}
	return out
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
// class, into at most that many bins of about the same number of reviews. Reviews of the
// same confidence stay together, whatever their order in the file, and bins less than a
// point apart are merged: of a run at chance, which is as sure of one review as of
// the next, their accuracies are chance alone.
// See Guo et al. 2017; for bins of equal number, Nguyen and O'Connor 2015.
func Reliability(p *runs.Predictions, bins int) (out []ReliabilityBin) {
	all := rated(p)
	confidence := func(r runs.Prediction) float64 { return float64(r.P[r.Predicted]) }
	slices.SortFunc(all, func(a, b runs.Prediction) int { return cmp.Compare(confidence(a), confidence(b)) })
	begins := math.Inf(-1)
	stats.EqualParts(len(all), bins, func(i, j int) bool { return confidence(all[i]) == confidence(all[j]) }, func(from, to int) {
		n := float64(to - from)
		b := ReliabilityBin{Reviews: to - from}
		for _, r := range all[from:to] {
			b.Confidence += confidence(r)
			if r.Label == r.Predicted {
				b.Accuracy++
			}
		}
		b.Confidence, b.Accuracy = b.Confidence/n, b.Accuracy/n
		if b.Confidence-begins >= 0.01 {
			out, begins = append(out, b), b.Confidence
			return
		}
		last := &out[len(out)-1]
		last.Reviews += b.Reviews
		share := n / float64(last.Reviews)
		last.Confidence, last.Accuracy = (1-share)*last.Confidence+share*b.Confidence, (1-share)*last.Accuracy+share*b.Accuracy
	})
	return out
}

// CalibrationError returns the expected calibration error of the labelled reviews,
// 0 … 1, over bins of equal width, as exp predict does (see stats.Scores). It is NaN
// without labelled reviews.
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
