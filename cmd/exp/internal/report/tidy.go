package report

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// tidyFields are the first columns of --tidy. The metrics follow, then the settings.
var tidyFields = []string{"id", "experiment", "model", "seed", "data", "cite", "tags", "note", "state", "trial", "counts", "epoch"}

// writeTidy writes a record for each run and epoch. Each setting that has not its default in one of
// the runs has a column.
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
	return errors.Join(append(errs, out.Write(a.IO.Verbatim(), as))...)
}

// tidyRun returns the records of a run. Of a damaged run it returns the readable epochs and an error.
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
