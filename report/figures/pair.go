package figures

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// pairNumbers are the numbers that a figure of a pair shows.
var pairNumbers = []tables.Number{
	{Name: "train_entropy", Title: "Train entropy", Unit: "nats"}, {Name: "test_entropy", Title: "Test entropy", Unit: "nats"},
	{Name: "grad_norm", Title: "Gradient norm", Unit: "mean"},
}

// Pair returns a figure of two runs that differ in a setting: entropy of the
// attention and norm of the gradient over the epochs.
func Pair(key string, a, b *runs.Run) (f canvas.Figure, err error) {
	f.Size = canvas.Page
	var lines []trendLine
	var about []string
	numbers := slices.Clone(pairNumbers)
	for i, r := range []*runs.Run{a, b} {
		d, value := Smoothed(0).drawings([]*runs.Run{r})[0], r.Config.Setting(key)
		if value == "" {
			return f, fmt.Errorf("%s has no setting %s", r.Label(), key)
		}
		line := trendLine{name: key + "=" + value, of: r.Config.Name}
		for k := range numbers {
			n := &numbers[k]
			n.Of = func(r *report.Result) (float64, error) { return r.Chosen.Get(n.Name), nil }
			points, err := trendOf([]*drawing{d}, overEpochs, *n)
			if err != nil {
				return f, err
			}
			line.points = append(line.points, points)
		}
		if len(line.points[0])+len(line.points[1]) == 0 {
			return f, fmt.Errorf("%s has no entropies of attention to draw", r.Label())
		}
		lines = append(lines, line)
		about = append(about, fmt.Sprintf("%s: %s, seed %d, %d of %s", line.name, r.Label(), r.Config.Seed(), r.Status.Epoch, format.Counted(r.Config.Epochs(), "epoch")))
		f.Legend = append(f.Legend, seriesLine(line.name, i, nil).legend())
	}
	if lines[0].name == lines[1].name {
		return f, fmt.Errorf("%s and %s both have %s: want two runs that differ in it", a.Label(), b.Label(), lines[0].name)
	}
	f.Title = fmt.Sprintf("%s with %s and %s", lines[0].of, lines[0].name, lines[1].name)
	if lines[0].of != lines[1].of {
		f.Title = fmt.Sprintf("%s with %s and %s with %s", lines[0].of, lines[0].name, lines[1].of, lines[1].name)
	}
	f.Name = format.FileName(key + "-" + lines[0].of)
	about = append(about, report.ReviewsTitle(&a.Config))
	if other := Others(key, &a.Config, &b.Config); len(other) > 0 {
		about = append(about, "they also differ in "+strings.Join(other, ", "))
	}
	f.Caption = strings.Join(about, " · ")
	panels, _, _ := trendPanels(lines, overEpochs, numbers, 0)
	f.Panels = canvas.Panels(panels)
	return f, nil
}

// Others returns the settings, except the named one, in which two runs differ.
func Others(key string, a, b *runs.Config) []string {
	var out []string
	for _, s := range slices.Concat(a.Settings, b.Settings) {
		if s.Key != key && a.Setting(s.Key) != b.Setting(s.Key) && !slices.Contains(out, s.Key) {
			out = append(out, s.Key)
		}
	}
	return out
}
