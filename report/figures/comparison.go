package figures

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report"
	"imdbexp/report/canvas"
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
				f.Legend = append(f.Legend, canvas.LegendEntry{Name: v, Dot: true, Line: look(1, variantColour(v))})
			}
		}
		if slices.ContainsFunc(rows, func(r comparedRow) bool { return !math.IsNaN(r.published) }) {
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Shape: canvas.Diamond{}, Line: look(1, canvas.Faint)})
		}
		f.Caption = b.Title + " · bars: 95 % Wilson interval over the " + b.Task().Unit
		if b.Divided() {
			f.Caption = b.Title + " · bars: 95 % interval over the divisions, which are the small dots; their test sets overlap"
		} else if shows(func(c *tables.Cell) bool { return len(c.Runs) > 1 }) {
			f.Caption += " around the mean of the seeds, which are the small dots"
		}
		f.Caption += " · finished runs only"
		f.Name = "comparison-" + numberedName(names, rows[0].cells[0].Runs[0].Config.Data.Name)
		f.Size, f.Panels = rowsOf(len(rows), 0.66, 3.4), canvas.Panels([]comparedPanel{rows})
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

// comparedPanel draws rows from top to bottom, row i at y = −i.
type comparedPanel []comparedRow

func (cp comparedPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", strings.TrimPrefix(cp[0].cells[0].Task().Score.Name, "test ")+" on test (%)", "")
	p.Add(s.Net(true, true))
	var labels []string
	e := ends{math.Inf(1), math.Inf(-1)}
	see := func(x float64) bool {
		if math.IsNaN(x) {
			return false
		}
		e = e.with(ends{x, x})
		return true
	}
	var draws []func(c draw.Canvas, xs, ys func(float64) vg.Length)
	dot := func(x, row float64, colour color.Color, radius vg.Length, shape draw.GlyphDrawer) {
		if see(x) {
			draws = append(draws, func(c draw.Canvas, xs, ys func(float64) vg.Length) {
				c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: radius * s.Unit, Shape: shape}, vg.Point{X: xs(x), Y: ys(row)})
			})
		}
	}
	for i, r := range cp {
		labels = append(labels, canvas.WrapLabel(r.label, 40))
		dot(r.published, -float64(i), canvas.Faint, 2.4, canvas.Diamond{})
		for k, cell := range r.cells {
			// Two variants stand one above the other, so that their bars are seen.
			row, colour := -float64(i)+0.34*(float64(len(r.cells)-1)/2-float64(k)), variantColour(cell.Variant)
			if interval := cell.Interval(); see(interval.Low) && see(interval.High) {
				draws = append(draws, func(c draw.Canvas, xs, ys func(float64) vg.Length) {
					c.StrokeLine2(s.Line(1.2, colour), xs(interval.Low), ys(row), xs(interval.High), ys(row))
				})
			}
			for _, run := range cell.Runs {
				if len(cell.Runs) > 1 {
					dot(run.Score, row, colour, 1.1, draw.RingGlyph{})
				}
			}
			dot(cell.Score().Mean, row, colour, 2.2, draw.CircleGlyph{})
		}
	}
	p.Add(canvas.Plotter(func(c draw.Canvas, p *plot.Plot) {
		xs, ys := p.Transforms(&c)
		for _, d := range draws {
			d(c, xs, ys)
		}
	}))
	shown := accuracyScale(nil).alone(e)
	margin := 0.03 * shown.span()
	p.X.Min, p.X.Max = shown.low-margin, shown.high+margin
	downwards(p, labels, 0.6)
	return p
}
