package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// chosen returns the runs that the arguments name, or all. An argument names runs (see runs.Match),
// a group, or a folder with runs. damage joins the errors of unreadable runs.
func chosen(a *cli.App, refs []string) (out []*runs.Run, damage, err error) {
	if len(refs) == 0 {
		out, damage = runs.List(a.Runs)
		return out, damage, runs.Fatal(damage)
	}
	for _, ref := range refs {
		list, bad, err := named(a, ref)
		if err != nil {
			return nil, nil, err
		}
		out, damage = append(out, list...), errors.Join(damage, bad)
	}
	return out, damage, nil
}

func named(a *cli.App, ref string) (list []*runs.Run, damage, err error) {
	if group := experiments.Group(ref); len(group) > 0 {
		return inside(a.Runs, func(name string) bool {
			return slices.ContainsFunc(group, func(e *experiments.Experiment) bool { return e.Name == name })
		})
	}
	list, err = runs.Match(a.Runs, ref)
	if err == nil {
		name, _, _ := strings.Cut(ref, "[")
		_, damage, err = inside(a.Runs, func(other string) bool { return other == name }) // also those that cannot be read
		return list, damage, err
	}
	// The name of a run has priority over a folder of that name.
	if info, statErr := os.Stat(ref); statErr != nil || !info.IsDir() {
		_, err = a.Match(ref) // with advice
		return nil, nil, err
	}
	list, damage, fatal := inside(ref, func(string) bool { return true })
	if len(list) == 0 && damage == nil { // it may be the folder of one experiment
		list, damage, fatal = inside(filepath.Dir(ref), func(name string) bool { return name == filepath.Base(ref) })
	}
	if len(list) == 0 && damage == nil && fatal == nil {
		fatal = fmt.Errorf("%w, and the folder %s holds no runs", err, ref)
	}
	return list, damage, fatal
}

// inside returns the runs in dir whose experiment of accepts. damage joins the errors of those that cannot
// be read.
func inside(dir string, of func(name string) bool) (list []*runs.Run, damage, err error) {
	list, err = runs.List(dir)
	for _, e := range runs.Unreadable(err) {
		if of(filepath.Base(filepath.Dir(e.Path))) {
			damage = errors.Join(damage, e)
		}
	}
	return slices.DeleteFunc(list, func(r *runs.Run) bool { return !of(r.Config.Name) }), damage, runs.Fatal(err)
}

// tidyFields are the first columns of --tidy. The metrics follow, then the settings.
var tidyFields = []string{"id", "experiment", "model", "seed", "data", "cite", "tags", "note", "state", "trial", "counts", "epoch"}

// writeTidy writes a record for each run and epoch. A setting has a column if one of the runs changes
// its default.
func writeTidy(a *cli.App, list []*runs.Run, as string) error {
	var keys []string
	for _, r := range list {
		for _, s := range plan.SettingsOf(&r.Config) {
			if s.Changed() && s.Key != "seed" && s.Key != "data" && !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
	}
	slices.Sort(keys)
	head := slices.Clone(tidyFields)
	for _, m := range runs.AllMetrics() {
		head = append(head, m.Key)
	}
	head = append(head, "seconds", "words_per_s")
	for _, key := range keys {
		head = append(head, "setting."+key)
	}
	out := term.Records{head}
	var errs []error
	for _, r := range list {
		lines, err := tidyRun(r, keys)
		out, errs = append(out, lines...), append(errs, err)
	}
	return errors.Join(append(errs, out.Write(a.Verbatim(), as))...)
}

// tidyRun returns the records of a run. For a damaged run it returns the readable epochs and an error.
func tidyRun(r *runs.Run, keys []string) ([][]string, error) {
	remarks, err1 := r.Remarks()
	metrics, err2 := r.Metrics()
	times, err3 := r.Timing()
	c, cite, state, counts := r.Normalized(), "", r.Present().State.String(), r.ChosenEpoch()
	if x, err := r.Citation(); err == nil {
		cite = x.String()
	}
	var settings []string
	for _, key := range keys {
		value, own := r.Config.Settings.Get(key)
		if !own || !c.Uses(key) { // the run is older than the setting, or its model has none
			value = c.Used(key)
		}
		settings = append(settings, value)
	}
	var out [][]string
	for i, m := range metrics {
		line := []string{c.ID, c.Name, c.Model, strconv.FormatUint(c.Seed(), 10), c.Data.Name, cite, strings.Join(remarks.Tags, " "), remarks.Note,
			state, strconv.FormatBool(c.Untested()), strconv.FormatBool(m.Epoch == counts), strconv.Itoa(m.Epoch)}
		for _, x := range runs.AllMetrics() {
			line = append(line, format.Exact(m.Get(x.Key)))
		}
		if i < len(times) && times[i].Epoch == m.Epoch {
			line = append(line, format.Exact(times[i].Seconds), format.Exact(times[i].Words))
		} else {
			line = append(line, "", "")
		}
		out = append(out, append(line, settings...))
	}
	return out, errors.Join(err1, err2, err3)
}
