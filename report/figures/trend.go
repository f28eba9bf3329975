package figures

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// Trend returns figures of numbers of the runs, see tables.PivotValues, each in a panel of its own, over a setting that
// is a number, such as data.train or lr: for each set of test reviews a line for each experiment, and for each of its
// other settings, with the mean over seeds and draws of reviews and a band of one standard deviation. 0 reviews are all
// of them; a batch, a rate or epochs that change with their number make no lines of their own. Unfinished runs and
// settings with a single value have no line. Where x is "epoch" the lines go over the epochs of the runs, finished or not.
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
}

// trends returns the lines of runs on the same test reviews, and the settings that have a single value.
func trends(on []*drawing, x string, ys []tables.Number) (lines []trendLine, left []string, err error) {
	told := append(append([]string{x}, repeats...), report.Told...)
	var shown, alone [][]*drawing
	for _, group := range onLines(on, x) {
		line, longest := trendLine{of: group.runs[0].Config.Name, along: group.along}, 0
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
			told = append(told, group.along...)
		}
	}
	for i := range lines {
		lines[i].name = nameAmong(shown, i, told)
	}
	for _, group := range alone {
		left = append(left, nameAmong(append(slices.Clip(shown), group), len(shown), told))
	}
	return lines, left, nil
}

func trendFigure(lines []trendLine, x string, ys []tables.Number, on []*drawing, left []string) canvas.Figure {
	panels, shown := trendPanels(lines, x, ys, guessed(on))
	name, title := shown[0].Key, shown[0].Title
	for _, y := range shown[1:] {
		name, title = name+"-"+y.Key, title+", "+strings.ToLower(y.Title)
	}
	// One of tme9-mean and one of tme9-lstm are two files in a folder.
	of := lines[0].of + "-"
	if slices.ContainsFunc(lines, func(l trendLine) bool { return l.of != lines[0].of }) {
		of = ""
	}
	f := chart.Figure(fmt.Sprintf("%s by %s", title, x), panels...)
	f.Name = format.FileName("curve-" + of + name + "-by-" + x + "-" + report.DataTitle(&on[0].Config))
	f.Size, f.Caption = canvas.Tall, trendCaption(lines, x, ys, on, left)
	return f
}

// trendCaption says which runs the lines average, and which are omitted.
func trendCaption(lines []trendLine, x string, ys []tables.Number, on []*drawing, left []string) string {
	var along []string
	var counts []int
	for _, l := range lines {
		along = append(along, l.along...)
		counts = append(counts, report.Each(slices.Concat(l.points...), func(p chart.Point) int { return p.N })...)
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
	part := map[string]string{"valid": "validation", "train": "training", "grad": "training"}
	measured := report.Each(ys, func(y tables.Number) string {
		split, _, _ := strings.Cut(y.Key, "_")
		return cmp.Or(part[split], "test")
	})
	text := parts(resultsOf(on), measured...) + " · " + seeds
	if slices.Sort(along); len(along) > 0 {
		text += fmt.Sprintf(" · going with %s: %s", x, strings.Join(slices.Compact(along), ", "))
	}
	if len(left) > 0 {
		why := "with a single value of " + x
		if x == overEpochs {
			why = "not evaluated at two epochs with the same seeds"
		}
		text += fmt.Sprintf(" · left out: %s %s (%s)", format.Counted(len(left), "setting"), why, report.Few(left, mostNamed))
	}
	for i, y := range ys {
		lack := report.Filter(lines, func(l trendLine) bool { return len(l.points[i]) == 0 })
		if len(lack) == 0 {
			continue
		}
		text += fmt.Sprintf(" · without a line of %s: %s (%s)", strings.ToLower(y.Title), format.Counted(len(lack), "setting"), report.Few(report.Each(lack, func(l trendLine) string { return l.name }), mostNamed))
	}
	return text
}

// mostNamed is up to how many lines a caption names.
const mostNamed = 4

// trendPanels returns a panel for each number that any line has. Numbers of one kind, such as
// accuracies, share an axis and so compare.
func trendPanels(lines []trendLine, x string, ys []tables.Number, classes []float64) (panels []chart.LinePanel, shown []tables.Number) {
	kinds := map[string]chart.Ends{}
	for i, y := range ys {
		p := chart.LinePanel{Title: y.Title, X: x, Y: axisTitle(y.Title, y.Unit), Epochs: x == overEpochs, Margin: margin}
		var at []float64
		for k, l := range lines {
			if points := l.points[i]; len(points) > 0 {
				p.Curves = append(p.Curves, chart.Numbered(l.name, k, points))
				at = append(at, report.Each(points, func(p chart.Point) float64 { return p.X })...)
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

// lineGroup is the runs of one line.
type lineGroup struct {
	runs  []*drawing
	along []string // settings that change with x: one value for each value of x
}

// onLines groups runs that differ only in x, in settings that change with x, and in seeds
// and the like, in order of first use.
func onLines(on []*drawing, x string) []lineGroup {
	var mayGo []string
	if slices.Contains(amounts, x) {
		mayGo = loop
	}
	free := append([]string{x}, repeats...)
	var out []lineGroup
	for _, list := range apart(on, slices.Concat(free, mayGo)) {
		along := report.Filter(mayGo, func(key string) bool { return goesWith(list, x, key) })
		out = append(out, report.Each(apart(list, slices.Concat(free, along)), func(list []*drawing) lineGroup { return lineGroup{list, along} })...)
	}
	return out
}

// apart groups runs of the same result version and content of data that differ in nothing but
// the settings free.
func apart(list []*drawing, free []string) [][]*drawing {
	return report.GroupBy(list, func(d *drawing) string {
		return fmt.Sprintln(d.Config.Name, d.Variant(), d.Config.Behind(), d.Config.Digests["data"]) + d.settings(func(key string) bool { return !slices.Contains(free, key) })
	})
}

// goesWith reports whether a setting has one value wherever x has one, and several in all.
func goesWith(list []*drawing, x, key string) bool {
	at, values := map[string]string{}, map[string]bool{}
	for _, d := range list {
		v := d.Config.Setting(key)
		if other, seen := at[d.Config.Setting(x)]; seen && other != v {
			return false
		}
		at[d.Config.Setting(x)], values[v] = v, true
	}
	return len(values) > 1
}

// settings formats the chosen settings.
func (d *drawing) settings(wanted func(key string) bool) string {
	var b strings.Builder
	for _, s := range d.Config.Settings {
		if wanted(s.Key) {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	return b.String()
}

// overEpochs is the x of a trend over epochs, which is not a setting.
const overEpochs = "epoch"

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
	add(d.Optimizer(), (*drawing).Optimizer)
	add(d.Variant(), (*drawing).Variant)
	add(fmt.Sprintf("(result version %d)", d.Config.Result), func(o *drawing) string { return fmt.Sprint(o.Config.Behind()) })
	add("(data "+format.Short(d.Config.Digests["data"])+")", func(o *drawing) string { return o.Config.Digests["data"] })
	for _, s := range d.Config.Settings {
		if !slices.Contains(told, s.Key) {
			add(s.Key+"="+s.Value, func(o *drawing) string {
				if o.Variant() != d.Variant() { // the variant already names the difference
					return s.Value
				}
				return o.Config.Setting(s.Key)
			})
		}
	}
	return strings.Join(words, " ")
}

// trendOf returns the points of the runs of one group, see onLines. Those over epochs are of the same repetitions at
// each. some is 1 if there are numbers, even where no point is left of them.
func trendOf(list []*drawing, x string, y tables.Number) (out []chart.Point, some int, err error) {
	byX := map[float64]map[string]float64{} // of each repetition
	for _, d := range list {
		again := d.settings(func(key string) bool { return slices.Contains(repeats, key) })
		err := d.values(x, y, func(at, v float64) {
			if _, twice := byX[at][again]; !twice && math.Abs(v) <= canvas.DrawableMax { // the better one comes first
				if byX[at] == nil {
					byX[at] = map[string]float64{}
				}
				byX[at][again] = v
			}
		})
		if err != nil {
			return nil, 0, err
		}
	}
	some = min(1, len(byX))
	if x == overEpochs {
		together(byX)
	}
	for _, at := range slices.Sorted(maps.Keys(byX)) {
		out = append(out, meanPoint(at, slices.Sorted(maps.Values(byX[at])))) // sums in one order
	}
	return out, some, nil
}

// together keeps of numbers by epoch and repetition those of the repetitions that have most of them at two epochs or
// more, none if there are no such epochs: a mean of others at each epoch would be no curve. Those of a single epoch stay.
func together[K comparable](byEpoch map[float64]map[K]float64) {
	var same map[K]float64
	epochs, most := slices.Sorted(maps.Keys(byEpoch)), 0
	lacks := func(at float64, of map[K]float64) bool {
		for k := range of {
			if _, has := byEpoch[at][k]; !has {
				return true
			}
		}
		return false
	}
	for _, e := range epochs {
		n := len(report.Filter(epochs, func(at float64) bool { return !lacks(at, byEpoch[e]) }))
		if of := n * len(byEpoch[e]); min(2, len(epochs)) <= n && of > most {
			same, most = byEpoch[e], of
		}
	}
	maps.DeleteFunc(byEpoch, func(at float64, _ map[K]float64) bool { return same == nil || lacks(at, same) })
	for _, of := range byEpoch {
		maps.DeleteFunc(of, func(k K, _ float64) bool { _, kept := same[k]; return !kept })
	}
}

// values calls see with the run's number and where it stands: at its setting x, or at
// each of its epochs.
func (d *drawing) values(x string, y tables.Number, see func(at, v float64)) error {
	if x != overEpochs {
		at, err := abscissa(d, x)
		if err != nil {
			return err
		}
		v, err := y.Of(d.Result)
		see(at, v)
		return err
	}
	epochs, _ := d.Run.Metrics() // a damaged rest is noted already
	for _, n := range epochs {
		after := *d.Result
		after.Chosen = &n
		v, err := y.Of(&after)
		if err != nil {
			return err
		}
		see(float64(n.Epoch), v)
	}
	return nil
}

// abscissa is the value of a run's setting as a number.
func abscissa(d *drawing, x string) (float64, error) {
	value := d.Config.Setting(x)
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s has %s=%s: the figure needs a setting whose values are numbers", d.Run.Label(), x, value)
	case slices.Contains(amounts, x) && (v == 0 || v < 1):
		if v = float64(d.Config.Data.Train.Reviews + d.Config.Data.Valid.Reviews); x == "data.limit" { // of each class
			v /= float64(max(1, len(d.Config.Classes)))
		}
	}
	return v, nil
}
