package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/internal/format"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Trend returns figures of one number of the runs, see tables.PivotValues, over a
// setting that is a number, such as data.train or lr: for each set of test reviews a
// line for each experiment, and for each of its other settings, with the mean over
// seeds and a band of one standard deviation. Of a number of reviews 0 stands for all
// that there were. Unfinished runs, and settings with a single value, have no line.
func Trend(list []*runs.Run, x, y string, order ...string) ([]canvas.Figure, error) {
	number, err := tables.NumberOf(y)
	if err != nil {
		return nil, err
	}
	if known := tables.PivotKeys(list); !slices.Contains(known, x) {
		return nil, &tables.UnknownKeyError{Key: x, Known: known}
	}
	all := slices.DeleteFunc(drawings(list, order...), func(d *drawing) bool { return !d.Finished || d.Config.Setting(x) == "" })
	var out []canvas.Figure
	for _, on := range testSets(all) {
		lines, left, err := trends(on, x, number)
		if err != nil {
			return nil, err
		}
		for k := 0; k*len(canvas.Series) < len(lines); k++ {
			shown := lines[k*len(canvas.Series) : min((k+1)*len(canvas.Series), len(lines))]
			f := trendFigure(shown, x, number, on[0], left)
			if k > 0 {
				f.Name, f.Title = fmt.Sprintf("%s-%d", f.Name, k+1), fmt.Sprintf("%s, continued (%d)", f.Title, k+1)
			}
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no finished runs differ in %s alone, with a %s: run some, such as %s=A,B,C", x, strings.ToLower(number.Title), x)
	}
	return out, nil
}

// testSets groups runs by what they were tested on.
func testSets(all []*drawing) [][]*drawing {
	var out [][]*drawing
	for _, d := range inTableOrder(all) {
		same := func(on []*drawing) bool {
			a, b := &on[0].Config, &d.Config
			return a.Data.Name == b.Data.Name && a.Data.Test == b.Data.Test
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i] = append(out[i], d)
		} else {
			out = append(out, []*drawing{d})
		}
	}
	return out
}

// trendLine is one line of the figure.
type trendLine struct {
	name   string
	points []trendPoint // by x
}

// trendPoint is the mean of some seeds.
type trendPoint struct {
	x, mean, sd float64
	seeds       int
}

// trends returns the lines of runs on the same test reviews, and how many settings have
// a single value.
func trends(on []*drawing, x string, y tables.Number) (lines []trendLine, single int, err error) {
	told := append([]string{x, "seed"}, report.Told...)
	var keys []string
	groups := map[string][]*drawing{}
	for _, d := range on {
		var b strings.Builder
		fmt.Fprintln(&b, d.Config.Name, d.Variant())
		for _, s := range d.Config.Settings {
			if !slices.Contains([]string{x, "seed"}, s.Key) {
				fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
			}
		}
		if groups[b.String()] == nil {
			keys = append(keys, b.String())
		}
		groups[b.String()] = append(groups[b.String()], d)
	}
	var shown [][]*drawing
	for _, k := range keys {
		line, err := trendOf(groups[k], x, y)
		switch {
		case err != nil:
			return nil, 0, err
		case len(line.points) == 1:
			single++
		case len(line.points) > 1:
			lines, shown = append(lines, line), append(shown, groups[k])
		}
	}
	for i := range lines {
		lines[i].name = nameAmong(shown, i, told)
	}
	return lines, single, nil
}

// nameAmong returns the experiment of a line and, where others are of the same, in what it
// differs from them.
func nameAmong(lines [][]*drawing, i int, told []string) string {
	d := lines[i][0]
	words := []string{d.Config.Name}
	add := func(word string, of func(*drawing) string) {
		differs := func(o []*drawing) bool { return o[0].Config.Name == d.Config.Name && of(o[0]) != of(d) }
		if slices.ContainsFunc(lines, differs) {
			words = append(words, word)
		}
	}
	add(d.Optimizer(), (*drawing).optimizer)
	add(d.Variant(), (*drawing).variant)
	for _, s := range d.Config.Settings {
		if !slices.Contains(told, s.Key) && d.Variant() == "default" {
			add(s.Key+"="+s.Value, func(o *drawing) string {
				if o.Variant() != "default" {
					return s.Value
				}
				return o.Config.Setting(s.Key)
			})
		}
	}
	return strings.Join(words, " ")
}

func (d *drawing) optimizer() string { return d.Optimizer() }
func (d *drawing) variant() string   { return d.Variant() }

// trendOf returns the line of runs that differ in x and seed alone.
func trendOf(list []*drawing, x string, y tables.Number) (trendLine, error) {
	values := map[float64]map[int]float64{} // by x and seed
	for _, d := range list {
		at, err := abscissa(d, x)
		if err != nil {
			return trendLine{}, err
		}
		v, err := y.Of(d.Result)
		if err != nil {
			return trendLine{}, err
		}
		if math.IsNaN(v) || math.Abs(v) > canvas.DrawableMax {
			continue
		}
		if values[at] == nil {
			values[at] = map[int]float64{}
		}
		if _, twice := values[at][int(d.Config.Seed())]; !twice { // the better one comes first
			values[at][int(d.Config.Seed())] = v
		}
	}
	var out trendLine
	for at, seeds := range values {
		var list []float64
		for _, v := range seeds {
			list = append(list, v)
		}
		slices.Sort(list) // for sums in one order
		m := stats.Summarise(list)
		if len(list) == 1 {
			m.SD = 0
		}
		out.points = append(out.points, trendPoint{at, m.Mean, m.SD, len(list)})
	}
	slices.SortFunc(out.points, func(a, b trendPoint) int { return cmp.Compare(a.x, b.x) })
	return out, nil
}

// abscissa is the value of a run's setting as a number.
func abscissa(d *drawing, x string) (float64, error) {
	value := d.Config.Setting(x)
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s has %s=%s: the figure needs a setting whose values are numbers", d.Run.Label(), x, value)
	case (x == "data.train" || x == "data.limit") && (v == 0 || v < 1):
		v = float64(d.Config.Data.Train.Reviews + d.Config.Data.Valid.Reviews)
	}
	return v, nil
}

func trendFigure(lines []trendLine, x string, y tables.Number, d *drawing, single int) canvas.Figure {
	f := canvas.Figure{
		Name: format.FileName("curve-" + y.Name + "-by-" + x + "-" + report.DataTitle(&d.Config)), Size: canvas.Tall,
		Title: fmt.Sprintf("%s by %s", y.Title, x),
	}
	least, most := lines[0].points[0].seeds, 0
	for i, l := range lines {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: l.name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.3, canvas.Series[i]) }, Shape: canvas.Shapes[i]})
		for _, p := range l.points {
			least, most = min(least, p.seeds), max(most, p.seeds)
		}
	}
	seeds := "one seed each"
	switch {
	case least < most:
		seeds = fmt.Sprintf("mean of %d to %d seeds, band ± one standard deviation", least, most)
	case most > 1:
		seeds = fmt.Sprintf("mean of %d seeds, band ± one standard deviation", most)
	}
	f.Caption = fmt.Sprintf("%s: %s test %s · %s", report.DataTitle(&d.Config), format.Thousands(d.Config.Data.Test.Reviews), d.Config.Data.Unit(), seeds)
	if single > 0 {
		f.Caption += fmt.Sprintf(" · left out: %s with a single value of %s", format.Counted(single, "setting"), x)
	}
	panel := trendPanel{lines: lines, x: x, y: y}
	switch classes := len(d.Config.Classes); {
	case strings.HasSuffix(y.Name, "_acc"):
		panel.scale = accuracyScale(classes)
	case strings.HasSuffix(y.Name, "_loss"):
		panel.scale = lossScale(classes)
	}
	f.Panels = canvas.Panels([]trendPanel{panel})
	return f
}

type trendPanel struct {
	lines []trendLine
	x     string
	y     tables.Number
	scale scale
}

// logarithmic reports whether the axis counts powers: where the values span decades.
func (tp trendPanel) logarithmic() bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range tp.lines {
		low, high = min(low, l.points[0].x), max(high, l.points[len(l.points)-1].x)
	}
	return low > 0 && high/low >= 8
}

// Draw draws the panel.
func (tp trendPanel) Draw(s canvas.Style) (*plot.Plot, error) {
	place, label := func(x float64) float64 { return x }, tp.x
	logarithmic := tp.logarithmic()
	if logarithmic {
		place, label = math.Log10, tp.x+" (logarithmic)"
	}
	p := s.Panel("", label, fmt.Sprintf("%s (%s)", strings.ToLower(tp.y.Title), tp.y.Unit))
	p.Add(s.Net(false, true), canvas.Headroom{})
	level := tp.scale.line(s)
	if tp.scale.chance > 0 {
		p.Add(&level)
	}
	across, up := ends{math.Inf(1), math.Inf(-1)}, ends{math.Inf(1), math.Inf(-1)}
	for i, l := range tp.lines {
		var points, upper, lower plotter.XYs
		for _, at := range l.points {
			x := place(at.x)
			points = append(points, plotter.XY{X: x, Y: at.mean})
			upper, lower = append(upper, plotter.XY{X: x, Y: at.mean + at.sd}), append(lower, plotter.XY{X: x, Y: at.mean - at.sd})
			across, up = across.with(ends{x, x}), up.with(ends{at.mean - at.sd, at.mean + at.sd})
		}
		slices.Reverse(lower)
		band, err := plotter.NewPolygon(append(upper, lower...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		band.Color, band.LineStyle = canvas.Translucent(canvas.Series[i]), draw.LineStyle{}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		line.LineStyle = s.Line(1.3, canvas.Series[i])
		marks := canvas.Dots(s, points, line.LineStyle)
		marks.Shape = canvas.Shapes[i]
		p.Add(band, line, marks)
		level.Around = append(level.Around, points)
	}
	margin := max(0.03*across.span(), 1e-9)
	p.X.Min, p.X.Max = across.low-margin, across.high+margin
	if logarithmic {
		p.X.Tick.Marker = canvas.DecadeTicks{}
	}
	axis := tp.scale.axis(up)
	p.Y.Min, p.Y.Max = axis.low, axis.high
	return p, nil
}
