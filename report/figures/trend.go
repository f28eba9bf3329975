package figures

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/internal/format"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Trend returns figures of one number of the runs, see tables.PivotValues, over a
// setting that is a number, such as data.train or lr: for each set of test reviews a
// line for each experiment, and for each of its other settings, with the mean over
// seeds and draws of reviews and a band of one standard deviation. Of a number of
// reviews 0 stands for all that there were, and a batch, a rate or epochs that go with it
// part no lines. Unfinished runs, and settings with a single value, have no line.
// Where x is "epoch" the lines go over the epochs of the runs, finished or not.
func Trend(list []*runs.Run, x, y string, order ...string) ([]canvas.Figure, error) {
	number, err := tables.NumberOf(y)
	if err != nil {
		return nil, err
	}
	known := append(tables.PivotKeys(list), overEpochs)
	switch {
	case !slices.Contains(known, x):
		return nil, &tables.UnknownKeyError{Key: x, Known: known}
	case x == overEpochs && number.Name == "macro_f1":
		return nil, errors.New("macro_f1 is of the answers, which a run keeps of its end alone: it has none for each epoch")
	}
	all := slices.DeleteFunc(drawings(list, order...), func(d *drawing) bool {
		return x != overEpochs && (!d.Finished || d.Config.Setting(x) == "")
	})
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
	if len(out) == 0 && x == overEpochs {
		return nil, fmt.Errorf("no run has two epochs with a %s", strings.ToLower(number.Title))
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
	along  []string     // settings that go with x
	drawn  bool         // of several draws of reviews
}

// trendPoint is the mean of some seeds.
type trendPoint struct {
	x, mean, sd float64
	seeds       int // or draws of reviews
}

// trends returns the lines of runs on the same test reviews, and how many settings have
// a single value.
func trends(on []*drawing, x string, y tables.Number) (lines []trendLine, single int, err error) {
	told := append(append([]string{x}, repeats...), report.Told...)
	var shown [][]*drawing
	for _, group := range onLines(on, x) {
		line, err := trendOf(group.runs, x, y)
		switch {
		case err != nil:
			return nil, 0, err
		case len(line.points) == 1:
			single++
		case len(line.points) > 1:
			line.along = group.along
			line.drawn = slices.ContainsFunc(group.runs, func(d *drawing) bool {
				return d.Config.Setting("data.train_seed") != group.runs[0].Config.Setting("data.train_seed")
			})
			lines, shown = append(lines, line), append(shown, group.runs)
			told = append(told, group.along...)
		}
	}
	for i := range lines {
		lines[i].name = nameAmong(shown, i, told)
	}
	return lines, single, nil
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
	of := "seeds"
	if slices.ContainsFunc(lines, func(l trendLine) bool { return l.drawn }) {
		of = "seeds or draws of reviews"
	}
	seeds := "one seed each"
	switch {
	case least < most:
		seeds = fmt.Sprintf("mean of %d to %d %s, band ± one standard deviation", least, most, of)
	case most > 1:
		seeds = fmt.Sprintf("mean of %d %s, band ± one standard deviation", most, of)
	}
	f.Caption = fmt.Sprintf("%s: %s test %s · %s", report.DataTitle(&d.Config), format.Thousands(d.Config.Data.Test.Reviews), d.Config.Data.Unit(), seeds)
	var along []string
	for _, l := range lines {
		along = append(along, l.along...)
	}
	if slices.Sort(along); len(along) > 0 {
		f.Caption += fmt.Sprintf(" · going with %s: %s", x, strings.Join(slices.Compact(along), ", "))
	}
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

// some returns about a dozen of many points, so that marks tell lines apart and hide none.
func some(points plotter.XYs) plotter.XYs {
	const marked = 12
	if len(points) <= 2*marked {
		return points
	}
	var out plotter.XYs
	for i := 0; i < len(points); i += len(points) / marked {
		out = append(out, points[i])
	}
	return out
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
	return tp.x != overEpochs && low > 0 && high/low >= 8
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
		marks := canvas.Dots(s, some(points), line.LineStyle)
		marks.Shape = canvas.Shapes[i]
		p.Add(band, line, marks)
		level.Around = append(level.Around, points)
	}
	margin := max(0.03*across.span(), 1e-9)
	p.X.Min, p.X.Max = across.low-margin, across.high+margin
	switch {
	case logarithmic:
		p.X.Tick.Marker = canvas.DecadeTicks{}
	case tp.x == overEpochs:
		p.X.Tick.Marker = canvas.WholeTicks(canvas.EpochTicks(int(across.low), int(across.high), 6), 1)
	}
	axis := tp.scale.axis(up)
	p.Y.Min, p.Y.Max = axis.low, axis.high
	return p, nil
}
