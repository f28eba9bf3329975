package figures

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

// sameReviews is the runs on one set of reviews, first those that represent their setting best.
type sameReviews struct {
	name string // for file names
	list []*drawing
}

// byReviews groups the runs by the reviews they were tested on, in order of first use.
func byReviews(all []*drawing) (out []sameReviews) {
	names := map[string]int{}
	for _, g := range report.GroupBy(all, func(d *drawing) report.Reviews { return report.ReviewsOf(&d.Config) }) {
		out = append(out, sameReviews{numberedName(names, g[0].Config.Data.Name), g})
	}
	return out
}

// oneEach returns the best run of each kind of those that fit, in the order of tables, and counts the other settings.
func (g sameReviews) oneEach(kind func(*drawing) string, fits func(*drawing) bool) (shown []*drawing, undrawn string) {
	fit := report.Filter(inTableOrder(g.list), fits)
	for _, same := range report.GroupBy(fit, kind) {
		shown = append(shown, same[0])
	}
	settings := report.GroupBy(fit, func(d *drawing) string { return report.SettingKey(d.Result) })
	if n := len(settings) - len(shown); n > 0 {
		undrawn = fmt.Sprintf(" · not drawn: %s of the same experiments", format.Counted(n, "other setting"))
	}
	return shown, undrawn
}

// experiment is the kind of a run of which figures show one each.
func experiment(d *drawing) string { return d.Config.Name }

// guessed returns the shares of the classes among the test reviews of runs, equal ones if no run knows them.
func guessed(list []*drawing) []float64 {
	i := slices.IndexFunc(list, func(d *drawing) bool { return chart.Unequal(d.Shares) })
	return list[max(0, i)].Shares
}

// numberedName returns a name that seen does not count yet: data, data-2, ….
func numberedName(seen map[string]int, name string) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return format.FileName(name)
}

// parts names data and how many texts are in some of their parts: the fewest to the most where runs differ.
func parts(shown []*report.Result, named ...string) string {
	var out []string
	for _, part := range []struct {
		name string
		of   func(runs.DataFacts) runs.Part
	}{
		{"training", func(d runs.DataFacts) runs.Part { return d.Train }},
		{"validation", func(d runs.DataFacts) runs.Part { return d.Valid }},
		{"test", func(d runs.DataFacts) runs.Part { return d.Test }},
	} {
		counts := report.Map(shown, func(r *report.Result) int { return part.of(r.Config.Data).Reviews })
		counts = report.Filter(counts, func(n int) bool { return n > 0 })
		if len(counts) > 0 && slices.Contains(named, part.name) {
			out = append(out, span(counts)+" "+part.name)
		}
	}
	list := strings.Join(out, ", ")
	if last := strings.LastIndex(list, ", "); last > 0 {
		list = list[:last] + " and " + list[last+2:]
	}
	return fmt.Sprintf("%s: %s %s", report.DataTitle(&shown[0].Config), list, shown[0].Config.Data.Unit())
}

// partNames are the parts of the data by the beginning of their metrics.
var partNames = map[string]string{"test": "test", "valid": "validation", "train": "training", "grad": "training"}

// span names the smallest and the largest of some numbers.
func span(list []int) string {
	low, high := slices.Min(list), slices.Max(list)
	if low == high {
		return format.Thousands(low)
	}
	return format.Thousands(low) + " to " + format.Thousands(high)
}

// seed tells which seed the run is, and how it was chosen.
func (d *drawing) seed() string {
	text := fmt.Sprintf("seed %d", d.Config.Seed())
	if n := len(d.seeds); n > 1 {
		text += fmt.Sprintf(", the median of %d on test", n)
	}
	return text
}

// ofSeeds tells the same behind the name of a run; "" where it is the only one.
func (d *drawing) ofSeeds() string {
	if len(d.seeds) < 2 {
		return ""
	}
	return " (" + d.seed() + ")"
}

// distinct splits names of settings into the words that all have, but not the experiments, and the rest of each.
func distinct(names []string) (own []string, shared string) {
	all := strings.Fields(names[0])[1:]
	for _, n := range names {
		all = report.Filter(all, func(w string) bool { return slices.Contains(strings.Fields(n)[1:], w) })
	}
	return report.Map(names, func(n string) string {
		return strings.Join(report.Filter(strings.Fields(n), func(w string) bool { return !slices.Contains(all, w) }), " ")
	}), strings.Join(all, " ")
}
