package page

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"imdbexp/experiments"
	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Entry is an item of the page: a run, runs that differ only in their seeds, or the trials of a search.
type Entry struct {
	Row    Row
	Runs   []*runs.Run    // by seed; none if the run cannot be read; for trials the best one
	Detail func() *Detail // nil without a run

	seeds []*Entry // of several runs: the entry of each; nil for one
}

// Change is the table at a version.
type Change struct {
	Version int      `json:"version"`
	Order   []string `json:"order"` // keys of its lines, newest first
	Rows    []Row    `json:"rows"`  // also those of single runs in a line; none if a page knows the version
	Note    string   `json:"note"`  // about the folder
}

// Started returns when the newest run was last started, the zero time without one.
func (e *Entry) Started() (t time.Time) {
	for _, r := range e.Runs {
		if r.Time().After(t) {
			t = r.Time()
		}
	}
	return t
}

// NewEntry describes the run in the folder path. run is nil if it cannot be read; err is then
// the reason, else the damage, if any.
func NewEntry(path string, run *runs.Run, err error) *Entry {
	e := &Entry{Row: rowOf(path, run, err)}
	if run != nil {
		e.Runs = []*runs.Run{run}
		e.Detail = sync.OnceValue(func() *Detail { return detailOf(e) })
	}
	return e
}

// Group groups the entries of single runs as exp report does, in the order of their first runs; those without a
// run come last. Settings that were never evaluated on the test set are the trials of a search: one entry for each
// experiment and data set.
func Group(list []*Entry) (out []*Entry) {
	at := map[*runs.Run]*Entry{}
	var all []*runs.Run
	for _, e := range list {
		if len(e.Runs) == 1 {
			at[e.Runs[0]], all = e, append(all, e.Runs[0])
		}
	}
	groups := report.Averaged(all)
	names := report.Names(slices.DeleteFunc(slices.Clone(groups), func(g []*runs.Run) bool { return len(g) == 1 }))
	var settings []*Entry
	for _, g := range groups {
		e := at[g[0]]
		if len(g) > 1 {
			e = averaged(report.Map(g, func(r *runs.Run) *Entry { return at[r] }), fmt.Sprintf("%s, %d seeds", names[0], len(g)))
			names = names[1:]
		}
		settings = append(settings, e)
	}
	type line struct {
		name, variant, data string // of a search
		setting             *Entry // if not
	}
	for _, l := range report.GroupBy(settings, func(e *Entry) line {
		if c := &e.Runs[0].Config; c.Untested() {
			return line{c.Name, c.Variant, c.Data.Name, nil}
		}
		return line{setting: e}
	}) {
		if len(l) > 1 {
			l[0] = searched(l)
		}
		out = append(out, l[0])
	}
	for _, e := range list {
		if len(e.Runs) == 0 {
			out = append(out, e)
		}
	}
	return out
}

// searched returns the entry of the trials of a search. It has the numbers, curves and answers of the best trial on
// the validation reviews.
func searched(trials []*Entry) *Entry {
	one := trials[0]
	if len(one.seeds) > 0 {
		one = one.seeds[0]
	}
	best := slices.MinFunc(trials, func(a, b *Entry) int {
		return report.CompareTrials(one.Runs[0].Config.ScoredBy(&one.Row.chosen).Key, func(key string) (x, y float64) { return a.mean(key), b.mean(key) })
	})
	e := &Entry{Row: best.Row, Runs: best.Runs}
	for _, one := range trials {
		e.seeds = append(e.seeds, one.all()...)
	}
	r, c, what := &e.Row, &best.Runs[0].Config, fmt.Sprintf("%d trials of a search", len(trials))
	r.Key, r.Label, r.Runs = key("trials", c, c.Data.Name), c.Name+" "+c.Data.Name+", "+what, e.keys()
	r.Notes = append([]string{"the numbers are those of the best trial on the validation set"}, r.Notes...)
	r.Cells = slices.Clone(r.Cells)
	r.Cells[0], r.Cells[seedColumn] = words(r.Label), Cell{fmt.Sprintf("%d trials", len(trials)), float64(len(trials))}
	for _, i := range []int{stateColumn, epochColumn} {
		r.Cells[i] = e.cell(i)
	}
	r.Settings = fmt.Sprintf("the best of %s; %s", what, r.Settings)
	e.Detail = sync.OnceValue(func() *Detail {
		d := *best.Detail()
		d.Column.Head = r.Label
		return &d
	})
	return e
}

// all returns the entries of single runs.
func (e *Entry) all() []*Entry {
	if e.seeds == nil {
		return []*Entry{e}
	}
	return e.seeds
}

func (e *Entry) keys() []string {
	return report.Map(e.seeds, func(one *Entry) string { return one.Row.Key })
}

// key returns the key of several runs.
func key(kind string, c *runs.Config, rest string) string {
	sum := sha256.Sum256([]byte(c.Variant + "\n" + rest))
	return fmt.Sprintf("%s/%s-%x", c.Name, kind, sum[:6])
}

// values returns a metric of the chosen epoch of each run.
func (e *Entry) values(key string) []float64 {
	return report.Map(e.all(), func(one *Entry) float64 { return one.Row.chosen.Get(key) })
}

func (e *Entry) mean(key string) float64 { return stats.Summarise(e.values(key)).Mean }

// averaged returns the entry of the runs of a setting.
func averaged(of []*Entry, label string) *Entry {
	e := &Entry{Row: of[0].Row, Runs: report.Map(of, func(one *Entry) *runs.Run { return one.Runs[0] }), seeds: of}
	r, c := &e.Row, e.Runs[0].Normalized()
	r.Key, r.Label, r.Runs, r.Notes = key("seeds", &c, c.WithoutSeeds()), label, e.keys(), []string{}
	seeds := map[string][]string{} // by note
	for _, one := range of {
		for _, n := range one.Row.Notes {
			if seeds[n] == nil {
				r.Notes = append(r.Notes, n)
			}
			seeds[n] = append(seeds[n], one.Row.Cells[seedColumn].Text)
		}
	}
	for i, n := range r.Notes {
		if len(seeds[n]) < len(of) {
			r.Notes[i] += fmt.Sprintf(" (seed %s)", strings.Join(seeds[n], ", "))
		}
	}
	scores := e.values(c.Task().Score.Key)
	if m := stats.Summarise(scores); m.N > 0 {
		asked := of[report.Middle(scores)].Row
		r.Score, r.Asked = &m.Mean, asked.Key
		r.Settings = asked.Settings + fmt.Sprintf("; of %d seeds the one with the median score", len(of))
	}
	r.Cells = []Cell{words(label)}
	for i := range columns[1:] {
		r.Cells = append(r.Cells, e.cell(1+i))
	}
	e.Detail = sync.OnceValue(func() *Detail { return detailOf(e) })
	return e
}

// cell returns a cell of several runs: results as mean ± standard deviation, other numbers as a range, else the
// last text.
func (e *Entry) cell(i int) Cell {
	var values []float64
	last := e.seeds[0].Row.Cells[i]
	for _, one := range e.seeds {
		cell := one.Row.Cells[i]
		if v, ok := cell.By.(float64); ok {
			values = append(values, v)
		} else if cell.Text > last.Text {
			last = cell
		}
	}
	if len(values) == 0 {
		return last
	}
	low, high := slices.Min(values), slices.Max(values)
	switch c := columns[i]; {
	case c.Digits > 0:
		m := stats.Summarise(values)
		return Cell{spread(m, c.Digits), m.Mean}
	case c.Key == "seed":
		return Cell{fmt.Sprintf("%d seeds", len(values)), float64(len(values))}
	case low < high:
		return Cell{fmt.Sprintf("%g–%g", low, high), high}
	}
	return last
}

// spread formats a mean and its standard deviation.
func spread(m stats.Moments, decimals int) string {
	text := format.Fixed(m.Mean, decimals)
	if m.N > 1 {
		text += " ± " + format.Fixed(m.SD, decimals)
	}
	return text
}

// Figure is a figure of exp report.
type Figure struct {
	Title   string `json:"title"`
	Caption string `json:"caption"`
	SVG     string `json:"svg"`
}

// Searches returns a figure for the trials of each search among the entries: the effects of settings.
func Searches(list []*Entry) ([]Figure, error) {
	out := []Figure{}
	var trials []*runs.Run
	for _, e := range list {
		if len(e.Runs) == 1 && e.Runs[0].Config.Untested() {
			trials = append(trials, e.Runs[0])
		}
	}
	for _, f := range figures.Searches(trials, experiments.InOrder()...) {
		svg, err := f.Inline()
		if err != nil {
			return nil, err
		}
		out = append(out, Figure{f.Title, f.Caption, svg})
	}
	return out, nil
}
