package figures

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

var _ = register(kind{name: "calibration", many: calibrations})

// variantColour distinguishes the variants, in other colours than train and test.
func variantColour(name string) color.NRGBA {
	return cmp.Or(map[string]color.NRGBA{"default": canvas.Green, "original": canvas.Reddish}[name], canvas.Orange)
}

// reliabilityLine is the reliability of one run.
type reliabilityLine struct {
	variant, optimizer string
	tested
}

// legend returns the look of the line: a colour for the variant, dashes for any
// optimizer but Adam.
func (l reliabilityLine) legend() canvas.LegendEntry {
	return canvas.LegendEntry{Name: l.variant + ", " + l.optimizer, Line: func(s canvas.Style) draw.LineStyle {
		if l.optimizer == "adam" {
			return s.Line(1.5, variantColour(l.variant))
		}
		return s.Line(1.3, variantColour(l.variant), 4.5, 2)
	}}
}

// calibrations returns reliability diagrams: for each set of reviews a figure with
// a panel an experiment.
func calibrations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		var panels []reliabilityPanel
		var shown, fit []*drawing
		var who []string
		f := canvas.Figure{Name: "calibration-" + g.name, Title: "Calibration: accuracy of predictions by their confidence"}
		drawnYet, inLegend := map[string]bool{}, map[string]bool{}
		for _, d := range inTableOrder(g.list) {
			l := reliabilityLine{d.Variant(), d.Optimizer(), d.test()}
			e := l.legend()
			key := d.Config.Name + "\n" + e.Name
			if len(l.reliability) == 0 {
				continue
			}
			if fit = append(fit, d); drawnYet[key] {
				continue
			}
			drawnYet[key] = true
			shown = append(shown, d)
			if n := len(panels); n == 0 || panels[n-1].title != d.Config.Name {
				panels, who = append(panels, reliabilityPanel{title: d.Config.Name}), append(who, d.Config.Name)
			}
			last := len(panels) - 1
			panels[last].lines = append(panels[last].lines, l)
			if !inLegend[e.Name] {
				inLegend[e.Name] = true
				f.Legend = append(f.Legend, e)
			}
			who[last] += fmt.Sprintf(" %s (%s%s)", format.Short(d.Config.ID), e.Name, d.ofSeeds())
		}
		if len(panels) == 0 {
			continue
		}
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: "perfect", Line: func(s canvas.Style) draw.LineStyle { return s.Line(0.7, canvas.Faint, 2, 2) }})
		f.Columns, f.Shared, f.Panels = min(len(panels), 3), true, canvas.Panels(panels)
		f.Size = rowsOf((len(panels)+f.Columns-1)/f.Columns, 5.2, 3.5)
		f.Caption = fmt.Sprintf("%s · a dot is one of %d bins of about equal number, or several where less than a point of confidence parts them; ECE (expected calibration error): mean |accuracy − confidence| over %d bins of equal width, by reviews, as of exp predict · %s",
			g.title, CalibrationBins, stats.ECEBins, strings.Join(who, " · ")) + nearMedian(shown) + undrawn(fit, shown)
		out = append(out, f)
	}
	return out
}

// rowsOf returns the size of a figure with rows of a height and the rest around them, in centimetres.
func rowsOf(rows int, height, rest vg.Length) canvas.Size {
	return canvas.Size{Width: canvas.Page.Width, Height: rest*vg.Centimeter + vg.Length(rows)*height*vg.Centimeter, DPI: canvas.Page.DPI}
}

// reliabilityPanel is the reliability of the runs of one experiment.
type reliabilityPanel struct {
	title string
	lines []reliabilityLine
}

func (rp reliabilityPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(rp.title, "confidence (%)", "accuracy (%)")
	p.X.Tick.Marker, p.Y.Tick.Marker = canvas.Ticks{N: 5}, canvas.Ticks{N: 5}
	low, least, most := 50.0, 0.0, 0.0 // least, most: range of accuracy − confidence
	words, colours := []string{"ECE"}, []color.NRGBA{canvas.Faint}
	for _, l := range rp.lines {
		points := make(plotter.XYs, len(l.reliability))
		for i, b := range l.reliability {
			points[i] = plotter.XY{X: 100 * b.Confidence, Y: 100 * b.Accuracy}
			low = min(low, points[i].X, points[i].Y)
			gap := points[i].Y - points[i].X
			least, most = min(least, gap), max(most, gap)
		}
		line := canvas.Curve(points, l.legend().Line(s))
		marks := canvas.Dots(s, points, line.LineStyle)
		marks.Radius = 1.5 * s.Unit
		p.Add(line, marks)
		words, colours = append(words, fmt.Sprintf("%s %.1f %%", l.optimizer, 100*l.ece)), append(colours, variantColour(l.variant))
	}
	diagonal := canvas.Curve(plotter.XYs{{X: low, Y: low}, {X: 100, Y: 100}}, s.Line(0.7, canvas.Faint, 2, 2))
	p.Add(canvas.Headroom{}, diagonal, canvas.Plotter(func(c draw.Canvas, _ *plot.Plot) {
		// In the lower right corner, where curves above the diagonal leave room, or in the upper left one.
		const gap, spacing = 2, 1.3
		text := s.Text(6.5, canvas.Faint)
		at := vg.Point{X: c.Max.X - gap, Y: c.Min.Y + gap + vg.Length(len(words))*spacing*text.Font.Size}
		text.XAlign, text.YAlign = draw.XRight, draw.YTop
		if -least > most {
			at, text.XAlign = vg.Point{X: c.Min.X + 2*gap, Y: c.Max.Y - gap}, draw.XLeft
		}
		for i, w := range words {
			text.Color = colours[i]
			c.FillText(text, at, w)
			at.Y -= spacing * text.Font.Size
		}
	}))
	margin := 0.02 * (100 - low)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low-margin, 100+margin, low-margin, 100+margin
	return p
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
	return slices.DeleteFunc(slices.Clone(p.Rows), func(r runs.Prediction) bool { return r.Label < 0 || !(r.P[r.Predicted] >= 0) }) // also NaN
}
