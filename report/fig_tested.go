package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"imdbexp/runs"
)

// tested is what figures show of a run's predictions on test. It is kept instead
// of the predictions themselves, of which 100 runs would hold half a gigabyte.
type tested struct {
	uniform     float64 // median of log n, the entropy of uniform attention, over the reviews' n words; NaN: unknown, or not among these alone
	reliability []ReliabilityBin
	ece         float64 // expected calibration error, 0 … 1
	lengths     []LengthBin
}

// test reads the predictions of the run once. A file that cannot be read is noted
// with the run; before the end of a run there is none.
func (d *drawing) test() tested {
	if d.predicted != nil {
		return *d.predicted
	}
	d.predicted = &tested{uniform: math.NaN()}
	switch p, err := d.run.Predictions(); {
	case err == nil:
		*d.predicted = tested{medianLog(p), Reliability(p, CalibrationBins), CalibrationError(p), ByLength(p, LengthBins)}
		if d.Config.Padded() {
			d.predicted.uniform = math.NaN()
		}
	case !errors.Is(err, fs.ErrNotExist):
		if n := (Note{Damaged, err.Error()}); !slices.Contains(d.Notes, n) {
			d.Notes = append(d.Notes, n)
		}
	}
	return *d.predicted
}

// unreadable tells which of the runs have predictions that cannot be read, for the
// caption of a figure that would show them.
func unreadable(list []*drawing) string {
	out := ""
	for _, d := range list {
		d.test()
		for _, n := range d.Notes {
			if n.Kind == Damaged && d.Finished {
				out += fmt.Sprintf(" · %s, %s", d.run.Label(), n)
			}
		}
	}
	return out
}

// medianLog returns the median of log n over the reviews' numbers n of words; NaN
// when there are none.
func medianLog(p *runs.Predictions) float64 {
	var words []int
	for _, r := range p.Rows {
		if r.Words > 0 {
			words = append(words, r.Words)
		}
	}
	n := len(words)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(words)
	return (math.Log(float64(words[(n-1)/2])) + math.Log(float64(words[n/2]))) / 2
}

// sameReviews is the runs on one set of reviews, those first that stand best for
// their setting.
type sameReviews struct {
	name  string // for file names
	title string
	list  []*drawing
}

// byReviews parts the runs by the reviews they saw, in the order in which those
// come first.
func byReviews(all []*drawing) []sameReviews {
	var out []sameReviews
	at := map[reviews]int{}
	names := map[string]int{}
	for _, d := range all {
		key := reviewsOf(&d.Config)
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, sameReviews{name: numberedName(names, d.Config.Data.Name), title: title(&d.Config)})
		}
		out[i].list = append(out[i].list, d)
	}
	return out
}

// numberedName returns a name that seen does not count yet: data, data-2, ….
func numberedName(seen map[string]int, name string) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return fileName(name)
}
