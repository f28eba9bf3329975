package figures

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Trend returns figures of numbers, see tables.PivotValues, over a numeric setting or, if x is "epoch", over the epochs of
// the runs, finished or not. There is a figure for each set of test reviews, a panel for each number, and a line for each
// experiment and each of its other settings: the mean over seeds and draws of reviews. A batch, a rate or epochs that
// change with an amount of reviews make no lines of their own. Settings with a single value have none.
func Trend(list []*runs.Run, x string, ys []string, order ...string) ([]canvas.Figure, error) {
	if len(ys) == 0 {
		ys = []string{""}
	}
	var numbers []tables.Number
	var titles []string
	for _, y := range ys {
		n, err := tables.NumberOf(y)
		if err != nil {
			return nil, err
		}
		numbers, titles = append(numbers, n), append(titles, strings.ToLower(n.Title))
	}
	known := append(tables.PivotKeys(list), overEpochs)
	switch {
	case !slices.Contains(known, x):
		return nil, &tables.UnknownKeyError{Key: x, Known: known}
	case x == overEpochs && slices.ContainsFunc(numbers, tables.Number.OfEnd):
		return nil, errors.New("macro_f1 is of the answers, which a run keeps of its end alone: it has none for each epoch")
	}
	all := slices.DeleteFunc(Smoothed(0).drawings(list, order...), func(d *drawing) bool {
		return x != overEpochs && (!d.Finished || d.Config.Used(x) == "")
	})
	var out []canvas.Figure
	named := map[string]int{} // figures of a name, which is their file's
	type reviews struct {
		name string
		test int
	}
	// Runs are together by the reviews they were tested on, however a model splits them into words.
	for _, on := range report.GroupBy(inTableOrder(all), func(d *drawing) reviews { return reviews{d.Config.Data.Name, d.Config.Data.Test.Reviews} }) {
		lines, left, err := trends(on, x, numbers)
		if err != nil {
			return nil, err
		}
		for shown := range slices.Chunk(lines, len(canvas.Series)) { // more would look alike
			f := trendFigure(shown, x, numbers, on, left)
			f.Name = numberedName(named, f.Name)
			out = append(out, f)
		}
	}
	if len(out) == 0 && x == overEpochs {
		return nil, fmt.Errorf("no run has two epochs with a %s", strings.Join(titles, " or a "))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no finished runs differ in %s alone, with a %s: run some, such as %s=A,B,C", x, strings.Join(titles, " or a "), x)
	}
	return out, nil
}

// trendLine is one line of the figure.
type trendLine struct {
	name   string
	of     string          // the experiment
	points [][]chart.Point // of each number, by x; none where there is a single one
	along  []string        // settings that go with x
	runs   []*drawing
}

// trends returns the lines of runs on the same test reviews, and the settings that have a single value.
func trends(on []*drawing, x string, ys []tables.Number) (lines []trendLine, left []string, err error) {
	named := append(append([]string{x}, repeats...), report.ColumnKeys...)
	var shown, alone [][]*drawing
	for _, group := range onLines(on, x) {
		line, longest := trendLine{of: group.runs[0].Config.Name, along: group.along, runs: group.runs}, 0
		for _, y := range ys {
			points, some, err := trendOf(group.runs, x, y)
			if err != nil {
				return nil, nil, err
			}
			if longest = max(longest, len(points), some); len(points) == 1 {
				points = nil
			}
			line.points = append(line.points, points)
		}
		switch {
		case longest == 1:
			alone = append(alone, group.runs)
		case longest > 1:
			lines, shown = append(lines, line), append(shown, group.runs)
			named = append(named, group.along...)
		}
	}
	for i := range lines {
		lines[i].name = nameAmong(shown, i, named)
	}
	for _, group := range alone {
		left = append(left, nameAmong(append(slices.Clip(shown), group), len(shown), named))
	}
	return lines, left, nil
}

func trendFigure(lines []trendLine, x string, ys []tables.Number, on []*drawing, left []string) canvas.Figure {
	panels, shown := trendPanels(lines, x, ys, guessed(on))
	name := strings.Join(report.Map(shown, func(y tables.Number) string { return y.Key }), "-")
	// One of tme9-mean and one of tme9-lstm are two files in a folder.
	of := lines[0].of + "-"
	if slices.ContainsFunc(lines, func(l trendLine) bool { return l.of != lines[0].of }) {
		of = ""
	}
	y := shown[max(0, slices.IndexFunc(shown, func(y tables.Number) bool { return strings.HasPrefix(y.Key, "test_") }))]
	f := chart.Figure(bestAt(lines, slices.Index(ys, y), x, y), panels...)
	f.Runs = report.Map(slices.Concat(report.Map(lines, func(l trendLine) []*report.Result { return resultsOf(l.runs) })...), cited)
	f.Name = format.FileName("curve-" + of + name + "-by-" + x + "-" + report.DataTitle(&on[0].Config))
	f.Size, f.Caption = canvas.Tall, trendCaption(lines, x, ys, on, left)
	return f
}

// bestAt says where the i-th number of the lines is best: a loss where it is lowest, another where it is highest.
// Differences of up to two standard errors are not clear.
func bestAt(lines []trendLine, i int, x string, y tables.Number) string {
	sign, label := -1.0, "highest"
	if strings.HasSuffix(y.Key, "_loss") {
		sign, label = 1, "lowest"
	}
	of := func(l trendLine) chart.Point {
		return slices.MinFunc(l.points[i], func(a, b chart.Point) int { return cmp.Compare(sign*a.Y, sign*b.Y) })
	}
	lines = report.Filter(lines, func(l trendLine) bool { return len(l.points[i]) > 0 })
	slices.SortStableFunc(lines, func(a, b trendLine) int { return cmp.Compare(sign*of(a).Y, sign*of(b).Y) })
	best, value := of(lines[0]), func(p chart.Point) string { return strconv.FormatFloat(p.X, 'g', 6, 64) }
	at := strings.Replace(x+"="+value(best), "epoch=", "epoch ", 1)
	text := fmt.Sprintf("%s is %s at %s: %s%s", y.Title, label, at, format.Fixed(best.Y, y.Decimals), map[string]string{"percent": " %"}[y.Unit])
	if len(lines) > 1 {
		text += " (" + lines[0].name + ")"
	}
	variance := func(p chart.Point) float64 { return (p.High - p.Y) * (p.High - p.Y) / float64(p.N) } // NaN of one seed
	unclear := func(p chart.Point) bool { return !(math.Abs(p.Y-best.Y) > 2*math.Sqrt(variance(p)+variance(best))) }
	others := report.Filter(lines[0].points[i], func(p chart.Point) bool { return x != overEpochs && p.X != best.X && unclear(p) })
	names := report.Map(others, value)
	for _, l := range lines[1:] {
		if unclear(of(l)) {
			names = append(names, l.name)
		}
	}
	switch {
	case best.N == 1:
		return text + ", of one seed"
	case len(names) > 0:
		return text + "; the difference from " + report.Few(names, 3) + " is not clear"
	}
	return text
}

// trendCaption says which runs the lines average, and which are omitted.
func trendCaption(lines []trendLine, x string, ys []tables.Number, on []*drawing, left []string) string {
	var along []string
	var counts []int
	for _, l := range lines {
		along = append(along, l.along...)
		counts = append(counts, report.Map(slices.Concat(l.points...), func(p chart.Point) int { return p.N })...)
	}
	of := "seeds"
	if slices.ContainsFunc(on, func(d *drawing) bool {
		return d.Config.Setting("data.train_seed") != on[0].Config.Setting("data.train_seed")
	}) {
		of = "seeds or draws of reviews"
	}
	seeds := fmt.Sprintf("mean of %s %s, band ± one standard deviation", span(counts), of)
	switch {
	case slices.Max(counts) == 1:
		seeds = "one seed each"
	case slices.Min(counts) == 1:
		seeds = strings.Replace(seeds, "band", "band or bar", 1) + " where there are several"
	}
	measured := report.Map(ys, func(y tables.Number) string {
		split, _, _ := strings.Cut(y.Key, "_")
		return cmp.Or(partNames[split], "test")
	})
	text := parts(resultsOf(on), measured...) + " · " + seeds
	if slices.Sort(along); len(along) > 0 {
		text += fmt.Sprintf(" · changed with %s: %s", x, strings.Join(slices.Compact(along), ", "))
	}
	if len(left) > 0 {
		why := "with a single value of " + x
		if x == overEpochs {
			why = "not evaluated at two epochs with the same seeds"
		}
		text += fmt.Sprintf(" · omitted: %s %s (%s)", format.Counted(len(left), "setting"), why, report.Few(left, mostNamed))
	}
	for i, y := range ys {
		lack := report.Filter(lines, func(l trendLine) bool { return len(l.points[i]) == 0 })
		if len(lack) == 0 {
			continue
		}
		text += fmt.Sprintf(" · without a line of %s: %s (%s)", strings.ToLower(y.Title), format.Counted(len(lack), "setting"), report.Few(report.Map(lack, func(l trendLine) string { return l.name }), mostNamed))
	}
	return text
}

// mostNamed is up to how many lines a caption names.
const mostNamed = 4

// trendPanels returns a panel for each number that any line has. Numbers of one kind, such as
// accuracies, share an axis and so compare.
func trendPanels(lines []trendLine, x string, ys []tables.Number, classes []float64) (panels []chart.LinePanel, shown []tables.Number) {
	kinds := map[string]chart.Span{}
	for i, y := range ys {
		p := chart.LinePanel{Title: y.Title, X: x, Y: axisTitle(y.Title, y.Unit), Epochs: x == overEpochs, Margin: margin}
		var at []float64
		for k, l := range lines {
			if points := l.points[i]; len(points) > 0 {
				p.Curves = append(p.Curves, chart.Numbered(l.name, k, points))
				at = append(at, report.Map(points, func(p chart.Point) float64 { return p.X })...)
			}
		}
		if len(p.Curves) == 0 {
			continue
		}
		across, up := p.Extent()
		if !p.Epochs {
			p.Log = across.Low > 0 && across.High/across.Low >= 8 // the values span decades
			p.Ticks = valueTicks(at, p.Log, len(ys))
		}
		if p.Log {
			p.X += " (logarithmic)"
		}
		shares := classes
		if chart.Unequal(shares) && !strings.HasPrefix(y.Key, "test_") {
			shares = nil // those of test
		}
		kind := kindOf(y)
		switch kind {
		case "acc":
			p.Scale = chart.AccuracyScale(shares)
		case "loss":
			p.Scale = chart.LossScale(shares)
		}
		if all, seen := kinds[kind]; seen {
			up = up.With(all.Low, all.High)
		}
		kinds[kind] = up
		panels, shown = append(panels, p), append(shown, y)
	}
	for i := range panels {
		panels[i].YEnds = panels[i].Scale.Axis(kinds[kindOf(shown[i])])
	}
	if len(panels) == 1 {
		panels[0].Title = "" // the figure has it
	}
	return panels, shown
}

// fewValues is up to how many values of a setting each has a tick.
const fewValues = 8

// valueTicks returns ticks at the values of a setting, nil for many of them.
func valueTicks(at []float64, log bool, columns int) plot.Ticker {
	if len(slices.Compact(slices.Sorted(slices.Values(at)))) > fewValues {
		return nil
	}
	return chart.ValueTicks(at, log, columns)
}

// axisTitle names a number and its unit, if it has one.
func axisTitle(title, unit string) string {
	return strings.TrimSuffix(strings.ToLower(title)+" ("+strings.Replace(unit, "percent", "%", 1)+")", " ()")
}

// kindOf returns the kind of a number without its split: acc, loss, entropy.
func kindOf(y tables.Number) string { return y.Key[strings.LastIndex(y.Key, "_")+1:] }

var (
	// repeats are the settings whose values are draws of one thing.
	repeats = []string{"seed", "data.train_seed"}

	// amounts are the settings that say how many reviews there are. What is good for many
	// is not for few: 42 epochs over a hundred reviews are 84 steps.
	amounts = []string{"data.train", "data.limit"}

	// loop are the settings that may go with an amount.
	loop = []string{"epochs", "batch", "lr"}
)
