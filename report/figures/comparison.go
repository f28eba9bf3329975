package figures

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/tables"
)

var _ = register(kind{name: "comparison", many: comparisons, first: true})

// comparedRow is a row of the comparison: the finished cells of one setting.
type comparedRow struct {
	label     string
	cells     []*tables.Cell
	published float64 // NaN: none
}

// best returns the accuracy by which rows are sorted: our default's, else the
// highest.
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
		f := canvas.Figure{Title: "Test accuracy of the models"}
		if len(b.Task().Decoded) > 0 {
			f.Title = "Exact match of the models on test"
		}
		for _, v := range b.Variants {
			if shows(func(c *tables.Cell) bool { return c.Variant == v }) {
				f.Legend = append(f.Legend, canvas.LegendEntry{Name: v, Dot: true, Line: chart.Look(1, variantColour(v))})
			}
		}
		if slices.ContainsFunc(rows, func(r comparedRow) bool { return !math.IsNaN(r.published) }) {
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Shape: canvas.Diamond{}, Line: chart.Look(1, canvas.Faint)})
		}
		f.Caption = b.Title + " · bars: 95 % Wilson interval over the " + b.Task().Unit
		if b.Divided() {
			f.Caption = b.Title + " · bars: 95 % interval over the divisions, which are the small dots; their test sets overlap"
		} else if shows(func(c *tables.Cell) bool { return len(c.Runs) > 1 }) {
			f.Caption += " around the mean of the seeds, which are the small dots"
		}
		f.Caption += " · finished runs only"
		f.Name = "comparison-" + numberedName(names, rows[0].cells[0].Runs[0].Config.Data.Name)
		f.Size, f.Panels = rowsOf(len(rows), 0.66, 3.4), canvas.Panels([]rowPanel{comparedPanel(rows)})
		out = append(out, f)
	}
	return out
}

func resultsOf(all []*drawing) []*report.Result {
	return report.Each(all, func(d *drawing) *report.Result { return d.Result })
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
				out.marks = append(out.marks, mark{x: x, y: y, look: chart.Look(1, colour), radius: radius, shape: shape})
			}
		}
		dot(r.published, 0, canvas.Faint, 2.4, canvas.Diamond{})
		for k, cell := range r.cells {
			// Two variants stand one above the other, so that their bars are seen.
			y, colour := 0.34*(float64(len(r.cells)-1)/2-float64(k)), variantColour(cell.Variant)
			if i := cell.Interval(); !math.IsNaN(i.Low) {
				seen = seen.With(i.Low, i.High)
				out.marks = append(out.marks, line(i.Low, i.High, y, chart.Look(1.2, colour)))
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
	margin := 0.03 * shown.Span()
	p.ends = chart.Ends{Low: shown.Low - margin, High: shown.High + margin}
	return p
}

// rowPanel draws labelled rows from top to bottom, row i at y = −i.
type rowPanel struct {
	title, x string // labels
	rows     []row
	label    int // characters in a line of a label
	ends     chart.Ends
}

type row struct {
	label string
	marks []mark
}

// mark is a dot of a row, or a line to another place. Heights are in rows, relative to its own.
type mark struct {
	x, y   float64
	look   func(canvas.Style) draw.LineStyle
	shape  draw.GlyphDrawer // nil: a line
	radius vg.Length        // of a dot

	toX, toY float64 // of a line
}

// line is a level line in a row.
func line(from, to, y float64, look func(canvas.Style) draw.LineStyle) mark {
	return mark{x: from, toX: to, y: y, toY: y, look: look}
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
				p.Add(canvas.Curve(plotter.XYs{{X: m.x, Y: at + m.y}, {X: m.toX, Y: at + m.toY}}, m.look(s)))
				continue
			}
			dot := canvas.Dots(s, plotter.XYs{{X: m.x, Y: at + m.y}}, m.look(s))
			dot.Shape, dot.Radius = m.shape, m.radius*s.Unit
			p.Add(dot)
		}
	}
	p.X.Min, p.X.Max = rp.ends.Low, rp.ends.High
	p.Y.Min, p.Y.Max = 0.4-float64(len(rp.rows)), 0.6
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = names, 0, 0
	return p
}
