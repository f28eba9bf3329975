package figures

import (
	"fmt"
	"image/color"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/compare"
)

// Waterfall draws a ladder: on the left how the test accuracy falls and rises from
// the original to the default, with a bar for each slip that is mended; on the right what
// each slip alone does to the default, the largest at the top. Of a ladder without an
// original it shows what each setting adds and what its removal costs. Whiskers are the
// 95 % intervals of single changes; a change within noise after correction is grey.
func Waterfall(l *compare.Ladder) canvas.Figure {
	what, steps, single := "slip", "taken out one by one", "put back alone"
	if l.Built {
		what, steps, single = "setting", "added one by one", "left out alone"
	}
	f := canvas.Figure{Name: format.FileName("ladder-" + l.Title), Title: fmt.Sprintf("What each %s does to the test accuracy: %s", what, l.Title)}
	f.Caption = "whiskers: 95 % intervals of the changes over seeds and reviews, each for itself · colours: by p after Holm's correction"
	down, beyond := rungs(l.Down, true)
	alone, _ := rungs(l.Alone, false)
	down.title, down.x, alone.title, alone.x = steps, "accuracy on test (%)", single, "change in accuracy (points)"
	if beyond {
		f.Caption += " · one without an end goes on beyond the axis"
	}
	var seeds []int
	for _, r := range slices.Concat(l.Down, l.Alone) {
		if r.Comparison != nil {
			seeds = append(seeds, r.Comparison.Seeds[:]...)
		}
	}
	if len(seeds) > 0 {
		f.Caption += " · " + span(seeds) + " seeds each"
	}
	for _, e := range []struct {
		name   string
		colour color.NRGBA
	}{{"better", canvas.Green}, {"worse", canvas.Vermillion}, {"within noise", canvas.Faint}} {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: e.name, Line: chart.Look(5, e.colour)})
	}
	f.Size = rowsOf(max(len(l.Down)+1, len(l.Alone)), 0.6, 3.6)
	f.Panels = canvas.Panels([]rowPanel{down, alone})
	return f
}

// fullAccuracy bounds drawn accuracies, in percent: an interval of a change
// may add up to more.
const fullAccuracy = 100

// rungs has a bar for each rung. If it falls, a bar begins where the last one ended, else at 0. beyond reports whether a
// whisker leaves the axis.
func rungs(list []compare.Rung, falls bool) (p rowPanel, beyond bool) {
	p.label = 24
	seen := chart.Ends{}
	if falls {
		seen = chart.None
	}
	for i, r := range list {
		c := r.Comparison
		if c == nil {
			p.rows = append(p.rows, row{label: r.Name() + ": not run yet"})
			continue
		}
		base := 0.0
		if falls {
			if base = c.Accuracy[0].Mean; i == 0 { // where it begins
				p.rows = append(p.rows, row{c.First, []mark{{x: base, look: chart.Look(1, canvas.Ink), shape: canvas.Diamond{}, radius: 3}}})
			}
		}
		colour := canvas.Vermillion
		switch {
		case c.Noise():
			colour = canvas.Faint
		case c.Difference > 0:
			colour = canvas.Green
		}
		low, high, end := base+c.Interval.Low, base+c.Interval.High, chart.Look(1, canvas.Ink)
		marks := []mark{
			{x: base, y: 1, toX: base, look: chart.Look(0.5, canvas.Faint, 1.5, 1.5)}, // from where the bar above ended
			line(base, base+c.Difference, 0, chart.Look(8, canvas.Faded(colour, 0.56))), line(low, high, 0, end),
			{x: low, toX: low, y: -0.12, toY: 0.12, look: end}, {x: high, toX: high, y: -0.12, toY: 0.12, look: end},
		}
		beyond = beyond || low < 0 || high > fullAccuracy
		seen = seen.With(base, base+c.Difference, low, high)
		p.rows = append(p.rows, row{r.Name(), marks})
	}
	if seen == chart.None {
		seen = chart.Ends{}
	}
	margin := max(0.06*seen.Span(), 0.1)
	p.ends = chart.Ends{Low: seen.Low - margin, High: seen.High + margin}
	if falls {
		p.ends = chart.Ends{Low: max(p.ends.Low, 0), High: min(p.ends.High, fullAccuracy)}
	}
	return p, beyond
}
