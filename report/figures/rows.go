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
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/compare"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// This file has the figures of labelled rows: the comparison of models, probes of minimal pairs, and ladders of slips.

var _ = register(kind{name: "comparison", many: comparisons, first: true})

// comparedRow is a row of the comparison: the finished cells of one setting.
type comparedRow struct {
	label     string
	cells     []*tables.Cell
	published float64 // NaN: none
}

// best returns the accuracy by which rows are sorted: that of the default variant, else the highest.
func (r comparedRow) best() float64 {
	best := math.Inf(-1)
	for _, c := range r.cells {
		if c.Variant == "default" {
			return c.Score().Mean
		}
		best = max(best, c.Score().Mean)
	}
	return best
}

// comparisons returns for each set of reviews with at least two rows a figure of
// their test accuracies, the best at the top.
func comparisons(all []*drawing) (out []canvas.Figure) {
	names := map[string]int{}
	for _, b := range tables.Blocks(resultsOf(all)) {
		rows := comparedRows(&b)
		if len(rows) < 2 {
			continue
		}
		slices.SortStableFunc(rows, func(a, b comparedRow) int { return -cmp.Compare(a.best(), b.best()) })
		shows := func(of func(*tables.Cell) bool) bool {
			return slices.ContainsFunc(rows, func(r comparedRow) bool { return slices.ContainsFunc(r.cells, of) })
		}
		labels, shared := distinct(report.Map(rows, func(r comparedRow) string { return r.label }))
		var shown []*report.Result
		for i := range rows {
			rows[i].label = labels[i]
			for _, c := range rows[i].cells {
				shown = append(shown, c.Runs...)
			}
		}
		f := canvas.Figure{Title: mostAccurate(rows, strings.TrimPrefix(b.Task().Score.Name, "test ")), Runs: report.Map(shown, cited)}
		for _, v := range b.Variants {
			if shows(func(c *tables.Cell) bool { return c.Variant == v }) {
				f.Legend = append(f.Legend, canvas.LegendEntry{Name: v, Dot: true, Line: chart.Line(1, variantColour(v))})
			}
		}
		if slices.ContainsFunc(rows, func(r comparedRow) bool { return !math.IsNaN(r.published) }) {
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Shape: canvas.Diamond{}, Line: chart.Line(1, canvas.Faint)})
		}
		bars := "95 % Wilson interval over the " + b.Task().Unit
		if b.Divided() {
			bars = "95 % interval over the divisions, which are the small dots; their test sets overlap"
		} else if shows(func(c *tables.Cell) bool { return len(c.Runs) > 1 }) {
			bars += " around the mean of the seeds, which are the small dots"
		}
		f.Caption = strings.TrimSuffix(parts(shown, "training", "validation", "test")+" · bars: "+bars+" · finished runs only · all: "+shared, " · all: ")
		f.Name = "comparison-" + numberedName(names, rows[0].cells[0].Runs[0].Config.Data.Name)
		f.Size, f.Panels = rowsOf(len(rows), 0.66, 3.4), canvas.Panels([]rowPanel{comparedPanel(rows)})
		out = append(out, f)
	}
	return out
}

// mostAccurate names the best settings; and those whose intervals overlap theirs. The original chooses its epoch
// on the test set, so it counts only if there is nothing else.
func mostAccurate(rows []comparedRow, score string) string {
	type setting struct {
		*tables.Cell
		name string
	}
	var list []setting
	for _, r := range rows {
		for _, c := range r.cells {
			list = append(list, setting{c, r.label + " " + c.Variant})
		}
	}
	cut := " default" // next to an original it is named
	if some := report.Filter(list, func(s setting) bool { return s.Variant != "original" }); len(some) > 0 && len(some) < len(list) {
		list, cut = some, ""
	}
	slices.SortStableFunc(list, func(a, b setting) int { return -cmp.Compare(a.Score().Mean, b.Score().Mean) })
	best, label := list[0], strings.Replace("best by "+score, "best by accuracy", "most accurate", 1)
	unclear := report.Filter(list[1:], func(s setting) bool { return !(s.Interval().High < best.Interval().Low) })
	name := func(s setting) string { return strings.TrimSuffix(s.name, cut) }
	switch n := len(unclear); {
	case n == 0:
		return fmt.Sprintf("%s is %s: %s %%", name(best), label, format.Fixed(best.Score().Mean, 1))
	case n == 1:
		return fmt.Sprintf("%s and %s are %s; their intervals overlap", name(best), name(unclear[0]), label)
	case n == len(list)-1:
		return "No setting is clearly " + label
	default:
		return fmt.Sprintf("%s and %d others are %s; their intervals overlap", name(best), n, label)
	}
}

func resultsOf(all []*drawing) []*report.Result {
	return report.Map(all, func(d *drawing) *report.Result { return d.Result })
}

// comparedRows returns the rows of a block that have a finished run.
func comparedRows(b *tables.Block) (out []comparedRow) {
	for _, row := range b.Rows {
		r := comparedRow{label: row.Label(), published: math.NaN()}
		if row.Published != nil {
			r.published = report.PublishedMetrics(row.Published).Get("test_acc")
		}
		for _, v := range b.Variants {
			if c := row.Cells[v]; c != nil && c.Runs[0].Finished && !math.IsNaN(c.Score().Mean) {
				r.cells = append(r.cells, c)
			}
		}
		if len(r.cells) > 0 {
			out = append(out, r)
		}
	}
	known := func(r comparedRow) bool { return !math.IsNaN(r.cells[0].Interval().Low) }
	if slices.ContainsFunc(out, known) { // shares of guessed words have none, and are no accuracies of reviews
		return report.Filter(out, known)
	}
	return out
}

func comparedPanel(rows []comparedRow) rowPanel {
	p := rowPanel{x: strings.TrimPrefix(rows[0].cells[0].Task().Score.Name, "test ") + " on test (%)", label: 40}
	seen := chart.None
	for _, r := range rows {
		out := row{label: r.label}
		dot := func(x, y float64, colour color.Color, radius vg.Length, shape draw.GlyphDrawer) {
			if !math.IsNaN(x) {
				seen = seen.With(x)
				out.marks = append(out.marks, mark{x: x, y: y, line: chart.Line(1, colour), radius: radius, shape: shape})
			}
		}
		dot(r.published, 0, canvas.Faint, 2.4, canvas.Diamond{})
		for k, cell := range r.cells {
			// Two variants stand one above the other, so that their bars are seen.
			y, colour := 0.34*(float64(len(r.cells)-1)/2-float64(k)), variantColour(cell.Variant)
			if i := cell.Interval(); !math.IsNaN(i.Low) {
				seen = seen.With(i.Low, i.High)
				out.marks = append(out.marks, line(i.Low, i.High, y, chart.Line(1.2, colour)))
			}
			for _, run := range cell.Runs {
				if len(cell.Runs) > 1 {
					dot(run.Score, y, colour, 1.1, draw.RingGlyph{})
				}
			}
			dot(cell.Score().Mean, y, colour, 2.2, draw.CircleGlyph{})
		}
		p.rows = append(p.rows, out)
	}
	shown := chart.AccuracyScale(nil).Alone(seen)
	margin := 0.03 * shown.Width()
	p.ends = chart.Span{Low: shown.Low - margin, High: shown.High + margin}
	return p
}

var _ = register(kind{name: "probe", many: probes})

// probes returns a figure for each probe of minimal pairs: a row for each setting, the best on the test set at the top.
func probes(all []*drawing) (out []canvas.Figure) {
	tables, _ := compare.Probes(report.Map(all, func(d *drawing) *runs.Run { return d.Run })) // exp report says what cannot be read
	test, rewritten := chart.Line(1.3, canvas.Blue), chart.Line(1.3, canvas.Vermillion)
	for _, t := range tables {
		p, seen, pairs, cites := rowPanel{x: "accuracy (%)", label: 40}, chart.None, 0, []string(nil)
		for _, x := range t.Rows {
			accuracy, n := x.OnRewritings(t)
			if pairs = n; x.Set == t.Rows[0].Set && x.Test.Mean > 0 {
				seen, cites = seen.With(x.Test.Mean, accuracy), append(cites, report.Map(x.Runs, (*runs.Run).Label)...)
				p.rows = append(p.rows, row{x.Name, []mark{
					line(x.Test.Mean, accuracy, 0, chart.Line(0.8, canvas.Faint)),
					{x: x.Test.Mean, line: test, shape: draw.CircleGlyph{}, radius: 2.6}, {x: accuracy, line: rewritten, shape: canvas.Diamond{}, radius: 3.2},
				}})
			}
		}
		if len(p.rows) < 2 {
			continue
		}
		title := "The best on the test set is best on the rewritings, too"
		if slices.ContainsFunc(p.rows, func(r row) bool { return r.marks[2].x > p.rows[0].marks[2].x }) {
			title = "The best on the test set need not read best"
		}
		p.ends = chart.Span{Low: math.Floor(seen.Low) - 2, High: min(100, math.Ceil(seen.High)+2)}
		out = append(out, canvas.Figure{
			Name: "probe-" + t.Probe, Title: title, Runs: cites, Size: rowsOf(len(p.rows), 0.66, 3.4),
			Caption: fmt.Sprintf("accuracy on test, and on the %s of %s that people have rewritten so that another label is right; means over seeds",
				format.Counted(pairs, "text"), t.Probe),
			Legend: []canvas.LegendEntry{{Name: "test", Dot: true, Line: test}, {Name: "rewritings", Dot: true, Shape: canvas.Diamond{}, Line: rewritten}},
			Panels: canvas.Panels([]rowPanel{p}),
		})
	}
	return out
}

// Waterfall draws a ladder: at the left from the original to the default, with a bar for each slip that is fixed, at the
// right the change by each slip alone. Whiskers are 95 % intervals; a change within noise after correction is grey.
func Waterfall(l *compare.Ladder) canvas.Figure {
	what, steps, single := "slip", "taken out one by one", "put back alone"
	if l.Built {
		what, steps, single = "setting", "added one by one", "left out alone"
	}
	f := canvas.Figure{Name: format.FileName("ladder-" + l.Title), Title: l.Title + ": " + costliest(l, what)}
	f.Caption = "what each " + what + " does to the test accuracy · whiskers: 95 % intervals of single changes, over seeds and reviews · colours: by p after Holm's correction"
	down, alone := rungs(l.Down, true), rungs(l.Alone, false)
	down.title, down.x, alone.title, alone.x = steps, "accuracy on test (%)", single, "change in accuracy (points)"
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
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: e.name, Line: chart.Line(5, e.colour)})
	}
	f.Size = rowsOf(max(len(l.Down)+1, len(l.Alone)), 0.6, 3.6)
	f.Panels = canvas.Panels([]rowPanel{down, alone})
	return f
}

// costliest names the largest clear change of a ladder: of the slips alone, or if none is clear, of its steps.
func costliest(l *compare.Ladder, what string) string {
	clear := func(r compare.Rung) bool { return r.Comparison != nil && !r.Comparison.Noise() }
	list, verb := report.Filter(l.Alone, clear), map[bool]string{false: "putting back ", true: "leaving out "}[l.Built]
	if len(list) == 0 {
		list, verb = report.Filter(l.Down, clear), map[bool]string{false: "taking out ", true: "adding "}[l.Built]
	}
	if len(list) == 0 {
		return "no " + what + " has a clear effect"
	}
	size := func(r compare.Rung) float64 { return math.Abs(r.Comparison.Difference) }
	largest := slices.MaxFunc(list, func(a, b compare.Rung) int { return cmp.Compare(size(a), size(b)) })
	does := map[bool]string{true: " costs most, ", false: " gains most, "}[largest.Comparison.Difference < 0]
	return verb + largest.Name() + does + format.Fixed(size(largest), 1) + " points"
}

// rungs returns a panel with a bar for each rung. If falls is true, a bar begins at the end of the last one, else at 0.
func rungs(list []compare.Rung, falls bool) (p rowPanel) {
	p.label = 24
	seen := chart.Span{}
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
			if base = c.Accuracy[0].Mean; i == 0 { // the start
				p.rows = append(p.rows, row{c.First, []mark{{x: base, line: chart.Line(1, canvas.Ink), shape: canvas.Diamond{}, radius: 3}}})
			}
		}
		colour := canvas.Vermillion
		switch {
		case c.Noise():
			colour = canvas.Faint
		case c.Difference > 0:
			colour = canvas.Green
		}
		low, high, end := base+c.Interval.Low, base+c.Interval.High, chart.Line(1, canvas.Ink)
		marks := []mark{
			{x: base, y: 1, toX: base, line: chart.Line(0.5, canvas.Faint, 1.5, 1.5)}, // from where the bar above ended
			line(base, base+c.Difference, 0, chart.Line(8, canvas.Faded(colour, 0.56))), line(low, high, 0, end),
			{x: low, toX: low, y: -0.12, toY: 0.12, line: end}, {x: high, toX: high, y: -0.12, toY: 0.12, line: end},
		}
		seen = seen.With(base, base+c.Difference, low, high)
		p.rows = append(p.rows, row{r.Name(), marks})
	}
	if seen == chart.None {
		seen = chart.Span{}
	}
	margin := max(0.06*seen.Width(), 0.1)
	p.ends = chart.Span{Low: seen.Low - margin, High: seen.High + margin}
	if falls {
		p.ends = chart.Span{Low: max(p.ends.Low, 0), High: min(p.ends.High, 100)} // an interval may add up to more
	}
	return p
}

// rowPanel draws labelled rows from top to bottom, row i at y = −i.
type rowPanel struct {
	title, x string // labels
	rows     []row
	label    int // characters in a line of a label
	ends     chart.Span
}

type row struct {
	label string
	marks []mark
}

// mark is a dot of a row, or a line from (x, y) to (toX, toY). y counts rows, from its own row.
type mark struct {
	x, y   float64
	line   func(canvas.Style) draw.LineStyle
	shape  draw.GlyphDrawer // nil: a line
	radius vg.Length        // of a dot

	toX, toY float64 // of a line
}

// line is a horizontal line in a row.
func line(from, to, y float64, style func(canvas.Style) draw.LineStyle) mark {
	return mark{x: from, toX: to, y: y, toY: y, line: style}
}

func (rp rowPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(rp.title, rp.x, "")
	p.Add(s.Net(true, true))
	var names plot.ConstantTicks
	for i, r := range rp.rows {
		at := -float64(i)
		names = append(names, plot.Tick{Value: at, Label: canvas.WrapLabel(r.label, rp.label)})
		for _, m := range r.marks {
			if m.shape == nil {
				p.Add(canvas.Curve(plotter.XYs{{X: m.x, Y: at + m.y}, {X: m.toX, Y: at + m.toY}}, m.line(s)))
				continue
			}
			dot := canvas.Dots(s, plotter.XYs{{X: m.x, Y: at + m.y}}, m.line(s))
			dot.Shape, dot.Radius = m.shape, m.radius*s.Unit
			p.Add(dot)
		}
	}
	p.X.Min, p.X.Max = rp.ends.Low, rp.ends.High
	p.Y.Min, p.Y.Max = 0.4-float64(len(rp.rows)), 0.6
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = names, 0, 0
	return p
}
