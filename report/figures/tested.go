package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
)

// tested is what figures show of a run's predictions on test. It is kept instead
// of the predictions themselves: those of 100 runs take half a gigabyte.
type tested struct {
	uniform     report.Uniform
	reliability []ReliabilityBin
	ece         float64 // expected calibration error, 0 … 1
	lengths     []report.LengthBin
}

// test reads the predictions of the run once. A file that cannot be read is noted
// with the run; an unfinished run has none.
func (d *drawing) test() tested {
	if d.predicted != nil {
		return *d.predicted
	}
	d.predicted = &tested{uniform: report.UniformIn(&d.Config, &runs.Predictions{})}
	switch p, err := d.Run.Predictions(); {
	case err == nil:
		*d.predicted = tested{report.UniformIn(&d.Config, p), Reliability(p, CalibrationBins), CalibrationError(p), report.ByLength(p, lengthBins)}
	case !errors.Is(err, fs.ErrNotExist):
		if n := (report.Note{Kind: report.Damaged, Text: err.Error()}); !slices.Contains(d.Notes, n) {
			d.Notes = append(d.Notes, n)
		}
	}
	return *d.predicted
}

// sameReviews is the runs on one set of reviews, those first that stand best for
// their setting.
type sameReviews struct {
	name  string // for file names
	title string
	list  []*drawing
}

// byReviews groups the runs by the reviews they were tested on, in order of first use.
func byReviews(all []*drawing) (out []sameReviews) {
	names := map[string]int{}
	for _, g := range report.GroupBy(all, func(d *drawing) report.Reviews { return report.ReviewsOf(&d.Config) }) {
		out = append(out, sameReviews{numberedName(names, g[0].Config.Data.Name), report.ReviewsTitle(&g[0].Config), g})
	}
	return out
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
		few, many := math.MaxInt, 0
		for _, r := range shown {
			if n := part.of(r.Config.Data).Reviews; n > 0 {
				few, many = min(few, n), max(many, n)
			}
		}
		switch {
		case !slices.Contains(named, part.name) || many == 0:
		case few == many:
			out = append(out, format.Thousands(many)+" "+part.name)
		default:
			out = append(out, format.Thousands(few)+" to "+format.Thousands(many)+" "+part.name)
		}
	}
	list := strings.Join(out, ", ")
	if last := len(out) - 1; last > 0 {
		list = strings.Join(out[:last], ", ") + " and " + out[last]
	}
	return fmt.Sprintf("%s: %s %s", report.DataTitle(&shown[0].Config), list, shown[0].Config.Data.Unit())
}

// seed tells which seed the run is, and of how many.
func (d *drawing) seed() string {
	if len(d.seeds) < 2 {
		return fmt.Sprintf("seed %d", d.Config.Seed())
	}
	return fmt.Sprintf("seed %d, one of %d", d.Config.Seed(), len(d.seeds))
}

// ofSeeds tells the same behind the name of a run; "" where it is the only one.
func (d *drawing) ofSeeds() string {
	if len(d.seeds) < 2 {
		return ""
	}
	return ", " + d.seed()
}

// nearMedian explains it in captions; "" where no run is one of several seeds.
func nearMedian(shown []*drawing) string {
	if slices.ContainsFunc(shown, func(d *drawing) bool { return len(d.seeds) > 1 }) {
		return " · of several seeds, the one with the score on test nearest their median"
	}
	return ""
}
