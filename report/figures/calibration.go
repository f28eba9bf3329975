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
	switch name {
	case "default":
		return canvas.Green
	case "original":
		return canvas.Reddish
	}
	return canvas.Orange
}

// reliabilityLine is the reliability of one run.
type reliabilityLine struct {
	variant, optimizer string
	bins               []ReliabilityBin
	ece                float64
}

// line returns the look of the line: a colour for the variant, dashes for any
// optimizer but Adam.
func (l reliabilityLine) line(s canvas.Style) draw.LineStyle {
	if l.optimizer == "adam" {
		return s.Line(1.5, variantColour(l.variant))
	}
	return s.Line(1.3, variantColour(l.variant), 4.5, 2)
}

func (l reliabilityLine) name() string { return l.variant + ", " + l.optimizer }

// calibrations returns reliability diagrams: for each set of reviews a figure with
// a panel an experiment.
func calibrations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		if f, ok := g.calibration(); ok {
			out = append(out, f)
		}
	}
	return out
}

func (g sameReviews) calibration() (canvas.Figure, bool) {
	var panels []reliabilityPanel
	var shown []*drawing
	var who []string
	f := canvas.Figure{Name: "calibration-" + g.name, Title: "Calibration: accuracy of predictions by their confidence"}
	drawnYet, inLegend := map[string]bool{}, map[string]bool{}
	for _, d := range inTableOrder(g.list) {
		l := reliabilityLine{d.Variant(), d.Optimizer(), d.test().reliability, d.test().ece}
		key := d.Config.Name + "\n" + l.name()
		if len(l.bins) == 0 || drawnYet[key] {
			continue
		}
		drawnYet[key] = true
		shown = append(shown, d)
		if n := len(panels); n == 0 || panels[n-1].title != d.Config.Name {
			panels = append(panels, reliabilityPanel{title: d.Config.Name})
			who = append(who, d.Config.Name)
		}
		p := &panels[len(panels)-1]
		p.lines = append(p.lines, l)
		if !inLegend[l.name()] {
			inLegend[l.name()] = true
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: l.name(), Line: l.line})
		}
		who[len(who)-1] += fmt.Sprintf(" %s (%s%s)", format.Short(d.Config.ID), l.name(), d.ofSeeds())
	}
	if len(panels) == 0 {
		return f, false
	}
	f.Legend = append(f.Legend, canvas.LegendEntry{Name: "perfect", Line: func(s canvas.Style) draw.LineStyle { return s.Line(0.7, canvas.Faint, 2, 2) }})
	f.Columns, f.Shared = min(len(panels), 3), true
	rows := (len(panels) + f.Columns - 1) / f.Columns
	f.Size = canvas.Size{Width: canvas.Page.Width, Height: 3.5*vg.Centimeter + vg.Length(rows)*5.2*vg.Centimeter, DPI: canvas.Page.DPI}
	f.Panels = canvas.Panels(panels)
	f.Caption = fmt.Sprintf("%s · a dot is one of %d bins of about equal number, or several where less than a point of confidence parts them; ECE (expected calibration error): mean |accuracy − confidence| over %d bins of equal width, by reviews, as of exp predict · %s",
		g.title, CalibrationBins, stats.ECEBins, strings.Join(who, " · ")) + nearMedian(shown)
	return f, true
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
	notes := []cornerLine{{"ECE", s.Text(6.5, canvas.Faint)}}
	for _, l := range rp.lines {
		points := make(plotter.XYs, len(l.bins))
		for i, b := range l.bins {
			points[i] = plotter.XY{X: 100 * b.Confidence, Y: 100 * b.Accuracy}
			low = min(low, points[i].X, points[i].Y)
			gap := points[i].Y - points[i].X
			least, most = min(least, gap), max(most, gap)
		}
		line := canvas.Curve(points, l.line(s))
		marks := canvas.Dots(s, points, line.LineStyle)
		marks.Radius = 1.5 * s.Unit
		p.Add(line, marks)
		notes = append(notes, cornerLine{fmt.Sprintf("%s %.1f %%", l.optimizer, 100*l.ece), s.Text(6.5, variantColour(l.variant))})
	}
	diagonal := &plotter.Line{XYs: plotter.XYs{{X: low, Y: low}, {X: 100, Y: 100}}, LineStyle: s.Line(0.7, canvas.Faint, 2, 2)}
	p.Add(canvas.Headroom{}, diagonal, cornerText{lines: notes, upper: -least > most})
	margin := 0.02 * (100 - low)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low-margin, 100+margin, low-margin, 100+margin
	return p
}

// cornerText writes lines into the lower right corner of a panel, where curves
// above the diagonal leave room, or into the upper left one.
type cornerText struct {
	lines []cornerLine
	upper bool
}

type cornerLine struct {
	words string
	text  draw.TextStyle
}

// Plot implements plot.Plotter.
func (t cornerText) Plot(c draw.Canvas, _ *plot.Plot) {
	const gap, spacing = 2, 1.3
	height := vg.Length(0)
	for _, l := range t.lines {
		height += spacing * l.text.Font.Size
	}
	at, align := vg.Point{X: c.Max.X - gap, Y: c.Min.Y + gap + height}, draw.XRight
	if t.upper {
		at, align = vg.Point{X: c.Min.X + 2*gap, Y: c.Max.Y - gap}, draw.XLeft
	}
	for _, l := range t.lines {
		l.text.XAlign, l.text.YAlign = align, draw.YTop
		c.FillText(l.text, at, l.words)
		at.Y -= spacing * l.text.Font.Size
	}
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
// point apart are merged.
// See Guo et al. 2017; for bins of equal number, Nguyen and O'Connor 2015.
func Reliability(p *runs.Predictions, bins int) []ReliabilityBin {
	type review struct {
		confidence float64
		right      bool
	}
	var all []review
	for _, r := range p.Rows {
		if rated(r) {
			all = append(all, review{confidence: float64(r.P[r.Predicted]), right: r.Label == r.Predicted})
		}
	}
	slices.SortFunc(all, func(a, b review) int { return cmp.Compare(a.confidence, b.confidence) })
	var out []ReliabilityBin
	stats.EqualParts(len(all), bins, func(i, j int) bool { return all[i].confidence == all[j].confidence }, func(from, to int) {
		b := ReliabilityBin{Reviews: to - from}
		for _, r := range all[from:to] {
			b.Confidence += r.confidence
			if r.right {
				b.Accuracy++
			}
		}
		b.Confidence, b.Accuracy = b.Confidence/float64(b.Reviews), b.Accuracy/float64(b.Reviews)
		out = append(out, b)
	})
	return joined(out)
}

// leastConfidence parts bins: of a run at chance, which is as sure of one review as of
// the next, their accuracies are chance alone.
const leastConfidence = 0.01

// joined merges bins that begin less than leastConfidence apart.
func joined(bins []ReliabilityBin) (out []ReliabilityBin) {
	begins := math.Inf(-1)
	for _, b := range bins {
		if b.Confidence-begins >= leastConfidence {
			out, begins = append(out, b), b.Confidence
			continue
		}
		last := &out[len(out)-1]
		n := last.Reviews + b.Reviews
		share := float64(b.Reviews) / float64(n)
		last.Reviews, last.Confidence, last.Accuracy = n, (1-share)*last.Confidence+share*b.Confidence, (1-share)*last.Accuracy+share*b.Accuracy
	}
	return out
}

// CalibrationError returns the expected calibration error of the labelled reviews,
// 0 … 1, over bins of equal width, as exp predict does (see stats.Scores). It is NaN
// without labelled reviews.
func CalibrationError(p *runs.Predictions) float64 {
	s := stats.NewScores(len(p.Classes))
	for _, r := range p.Rows {
		if rated(r) {
			s.Add(r.Label, r.Predicted, r.P)
		}
	}
	return s.ECE()
}

// rated reports whether a prediction has a confidence that can be right or wrong.
func rated(r runs.Prediction) bool { return r.Label >= 0 && r.P[r.Predicted] >= 0 } // not NaN
