package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
)

var _ = register(kind{name: "comparison", many: comparisons, first: true})

// comparedRow is a row of the comparison: the test accuracies of one setting.
type comparedRow struct {
	label     string
	data      string // its name
	score     string // the score of the runs
	cells     []comparedCell
	published float64 // NaN: none
}

// comparedCell is one variant, in percent.
type comparedCell struct {
	variant  string
	mean     float64
	interval stats.Interval
	seeds    []float64 // one a seed; drawn where there are several
}

// best returns the accuracy by which rows are sorted: our default's, else the
// highest.
func (r comparedRow) best() float64 {
	best := math.Inf(-1)
	for _, c := range r.cells {
		if c.variant == "default" {
			return c.mean
		}
		best = max(best, c.mean)
	}
	return best
}

// comparisons returns for each set of reviews with at least two rows a figure of
// their test accuracies, the best at the top.
func comparisons(all []*drawing) []canvas.Figure {
	var results []*report.Result
	for _, d := range all {
		results = append(results, d.Result)
	}
	var out []canvas.Figure
	names := map[string]int{}
	for _, b := range tables.Blocks(results) {
		if f, ok := comparison(&b, names); ok {
			out = append(out, f)
		}
	}
	return out
}

func comparison(b *tables.Block, names map[string]int) (canvas.Figure, bool) {
	rows := comparedRows(b)
	if len(rows) < 2 {
		return canvas.Figure{}, false
	}
	slices.SortStableFunc(rows, func(a, b comparedRow) int { return -cmp.Compare(a.best(), b.best()) })
	f := canvas.Figure{Title: "Test accuracy of the models"}
	if len(b.Task().Decoded) > 0 {
		f.Title = "Exact match of the models on test"
	}
	for _, v := range b.Variants {
		if shows(rows, func(c comparedCell) bool { return c.variant == v }) {
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: v, Dot: true, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1, variantColour(v)) }})
		}
	}
	if slices.ContainsFunc(rows, func(r comparedRow) bool { return !math.IsNaN(r.published) }) {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Shape: canvas.Diamond{}, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1, canvas.Faint) }})
	}
	f.Caption = b.Title + " · bars: 95 % Wilson interval over the " + b.Task().Unit
	if b.Divided() {
		f.Caption = b.Title + " · bars: 95 % interval over the divisions, which are the small dots; their test sets overlap"
	} else if shows(rows, func(c comparedCell) bool { return len(c.seeds) > 1 }) {
		f.Caption += " around the mean of the seeds, which are the small dots"
	}
	f.Caption += " · finished runs only"
	f.Name = "comparison-" + numberedName(names, rows[0].data)
	f.Size = canvas.Size{Width: canvas.Page.Width, Height: 3.4*vg.Centimeter + vg.Length(len(rows))*0.66*vg.Centimeter, DPI: canvas.Page.DPI}
	f.Panels = canvas.Panels([]comparedPanel{rows})
	return f, true
}

// shows reports whether a cell of the rows has a property.
func shows(rows []comparedRow, of func(comparedCell) bool) bool {
	return slices.ContainsFunc(rows, func(r comparedRow) bool { return slices.ContainsFunc(r.cells, of) })
}

// comparedRows returns the rows of a block that have a finished run.
func comparedRows(b *tables.Block) []comparedRow {
	var out []comparedRow
	for _, row := range b.Rows {
		r := comparedRow{label: row.Label(), published: math.NaN()}
		if row.Published != nil {
			r.published = report.PublishedMetrics(row.Published).Get("test_acc")
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil || !c.Runs[0].Finished || math.IsNaN(c.Score().Mean) {
				continue
			}
			r.data, r.score = c.Runs[0].Config.Data.Name, c.Task().Score.Name
			r.cells = append(r.cells, newComparedCell(c))
		}
		if len(r.cells) > 0 {
			out = append(out, r)
		}
	}
	return out
}

func newComparedCell(c *tables.Cell) comparedCell {
	out := comparedCell{variant: c.Variant, mean: c.Score().Mean, interval: stats.Interval{Low: math.NaN(), High: math.NaN()}}
	if i, err := c.Interval(); err == nil {
		out.interval = i
	}
	for _, run := range c.Runs {
		out.seeds = append(out.seeds, run.Score)
	}
	return out
}

// ends returns the smallest and the largest number to draw.
func (r comparedRow) ends() (low, high float64) {
	all := []float64{r.published}
	for _, c := range r.cells {
		all = append(append(all, c.mean, c.interval.Low, c.interval.High), c.seeds...)
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range all {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// comparedPanel draws rows from top to bottom, row i at y = −i.
type comparedPanel []comparedRow

func (cp comparedPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", strings.TrimPrefix(cp[0].score, "test ")+" on test (%)", "")
	p.Add(s.Net(true, true))
	var names plot.ConstantTicks
	low, high := math.Inf(1), math.Inf(-1)
	for i, r := range cp {
		names = append(names, plot.Tick{Value: -float64(i), Label: canvas.WrapLabel(r.label, 40)})
		l, h := r.ends()
		low, high = min(low, l), max(high, h)
	}
	p.Add(comparedDots{cp, s})
	shown := accuracyScale(0).alone(ends{low, high})
	margin := 0.03 * shown.span()
	p.X.Min, p.X.Max = shown.low-margin, shown.high+margin
	p.Y.Min, p.Y.Max = 0.4-float64(len(cp)), 0.6
	p.Y.Tick.Marker, p.Y.Tick.Length = names, 0
	p.Y.LineStyle.Width = 0
	return p
}

type comparedDots struct {
	comparedPanel
	s canvas.Style
}

// Plot implements plot.Plotter.
func (cd comparedDots) Plot(c draw.Canvas, p *plot.Plot) {
	xs, ys := p.Transforms(&c)
	for i, r := range cd.comparedPanel {
		if !math.IsNaN(r.published) {
			glyph := draw.GlyphStyle{Color: canvas.Faint, Radius: 2.4 * cd.s.Unit, Shape: canvas.Diamond{}}
			c.DrawGlyph(glyph, vg.Point{X: xs(r.published), Y: ys(-float64(i))})
		}
		for k, cell := range r.cells {
			// Two variants stand one above the other, for their bars to be seen.
			at := ys(-float64(i) + 0.34*(float64(len(r.cells)-1)/2-float64(k)))
			colour := variantColour(cell.variant)
			if !math.IsNaN(cell.interval.Low) {
				c.StrokeLine2(cd.s.Line(1.2, colour), xs(cell.interval.Low), at, xs(cell.interval.High), at)
			}
			for _, seed := range cell.seeds {
				if len(cell.seeds) > 1 && !math.IsNaN(seed) {
					c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: 1.1 * cd.s.Unit, Shape: draw.RingGlyph{}}, vg.Point{X: xs(seed), Y: at})
				}
			}
			c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: 2.2 * cd.s.Unit, Shape: draw.CircleGlyph{}}, vg.Point{X: xs(cell.mean), Y: at})
		}
	}
}
