package page

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Entry is what the page shows of a run, of the runs of a setting that differ in seeds only, or of the trials of a
// search.
type Entry struct {
	Row    Row
	Runs   []*runs.Run    // by seed; none if the run cannot be read; of trials the best one
	Detail func() *Detail // nil without a run

	of []*Entry // of several runs: the entry of each; nil for one
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

// NewEntry describes the run in the folder path. run is nil if it cannot be read, and err says
// why; of a run that can be read err is damage.
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
	for _, g := range groups {
		if len(g) == 1 {
			out = append(out, at[g[0]])
			continue
		}
		e := &Entry{Runs: g}
		for _, r := range g {
			e.of = append(e.of, at[r])
		}
		e.Row = e.averaged(fmt.Sprintf("%s, %d seeds", names[0], len(g)))
		names = names[1:]
		e.Detail = sync.OnceValue(func() *Detail { return detailOf(e) })
		out = append(out, e)
	}
	out = foldTrials(out)
	for _, e := range list {
		if len(e.Runs) == 0 {
			out = append(out, e)
		}
	}
	return out
}

// foldTrials puts one entry in the place of the trials of a search.
func foldTrials(list []*Entry) (out []*Entry) {
	type search struct{ name, variant, data string }
	of := func(e *Entry) search {
		c := &e.Runs[0].Config
		return search{c.Name, c.Variant, c.Data.Name}
	}
	trials := map[search][]*Entry{}
	for _, e := range list {
		if e.Runs[0].Config.Untested() {
			trials[of(e)] = append(trials[of(e)], e)
		}
	}
	for _, e := range list {
		all := trials[of(e)]
		switch {
		case len(all) < 2 || !e.Runs[0].Config.Untested():
			out = append(out, e)
		case e == all[0]:
			out = append(out, searched(all))
		}
	}
	return out
}

// searched returns the entry of the trials of a search. It has the numbers, curves and answers of the best trial on
// the validation reviews.
func searched(trials []*Entry) *Entry {
	best := slices.MinFunc(trials, func(a, b *Entry) int {
		return report.CompareTrials(func(key string) (x, y float64) { return a.mean(key), b.mean(key) })
	})
	e := &Entry{}
	for _, one := range trials {
		if len(one.of) > 0 { // several seeds of a setting
			e.of = append(e.of, one.of...)
		} else {
			e.of = append(e.of, one)
		}
	}
	r := best.Row
	c := &best.Runs[0].Config
	what := fmt.Sprintf("%d trials of a search", len(trials))
	sum := sha256.Sum256([]byte(c.Variant + "\n" + c.Data.Name))
	r.Key, r.Label, r.Runs = fmt.Sprintf("%s/trials-%x", c.Name, sum[:6]), c.Name+" "+c.Data.Name+", "+what, nil
	r.Notes = append([]string{"the numbers are those of the best trial on the validation set"}, r.Notes...)
	for _, one := range e.of {
		r.Runs = append(r.Runs, one.Row.Key)
	}
	r.Cells = slices.Clone(r.Cells)
	r.Cells[0], r.Cells[seedColumn] = words(r.Label), Cell{fmt.Sprintf("%d trials", len(trials)), float64(len(trials))}
	for _, i := range []int{stateColumn, epochColumn} {
		r.Cells[i] = e.cell(i)
	}
	r.Settings = fmt.Sprintf("the best of %s; %s", what, r.Settings)
	e.Row, e.Runs = r, best.Runs
	e.Detail = sync.OnceValue(func() *Detail {
		d := *best.Detail()
		d.Column.Head = r.Label
		return &d
	})
	return e
}

// mean returns the mean of a metric of the epoch that counts.
func (e *Entry) mean(key string) float64 {
	var values []float64
	for _, one := range e.of {
		values = append(values, one.Row.chosen.Get(key))
	}
	if len(e.of) == 0 {
		return e.Row.chosen.Get(key)
	}
	return stats.Summarise(values).Mean
}

// averaged returns the row of several runs.
func (e *Entry) averaged(label string) Row {
	r := e.of[0].Row
	c := e.Runs[0].Normalized()
	sum := sha256.Sum256([]byte(c.Variant + "\n" + c.WithoutSeeds()))
	r.Key, r.Label, r.Runs, r.Notes = fmt.Sprintf("%s/seeds-%x", c.Name, sum[:6]), label, nil, []string{}
	var scores []*Entry
	var values []float64
	for _, one := range e.of {
		r.Runs = append(r.Runs, one.Row.Key)
		if s := one.Row.Score; s != nil {
			scores, values = append(scores, one), append(values, *s)
		}
	}
	seeds := map[string][]string{} // by note
	for _, one := range e.of {
		for _, n := range one.Row.Notes {
			if seeds[n] == nil {
				r.Notes = append(r.Notes, n)
			}
			seeds[n] = append(seeds[n], one.Row.Cells[seedColumn].Text)
		}
	}
	for i, n := range r.Notes {
		if len(seeds[n]) < len(e.of) {
			r.Notes[i] += fmt.Sprintf(" (seed %s)", strings.Join(seeds[n], ", "))
		}
	}
	if len(scores) > 0 {
		mean := stats.Summarise(values).Mean
		r.Score = &mean
		asked := scores[report.Middle(values)].Row
		r.Asked, r.Settings = asked.Key, asked.Settings+fmt.Sprintf("; of %d seeds the one with the median score", len(e.of))
	}
	r.Cells = slices.Clone(r.Cells)
	for i := range columns {
		r.Cells[i] = e.cell(i)
	}
	r.Cells[0] = words(label)
	return r
}

// cell returns a cell of several runs: results as mean ± standard deviation, other numbers as a range, and of
// words the last ones.
func (e *Entry) cell(i int) Cell {
	var values []float64
	last := e.of[0].Row.Cells[i]
	for _, one := range e.of {
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
