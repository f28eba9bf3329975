package compare

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

// seedsOf returns the finished runs that a word of the command line names: one run,
// or those of one setting, a seed each.
func seedsOf(a *cli.App, ref string) ([]*runs.Run, error) {
	list, err := runs.Match(a.Runs, ref)
	if err != nil {
		return nil, err
	}
	named := list[0].Config.Name == ref
	finished := slices.DeleteFunc(slices.Clone(list), func(r *runs.Run) bool { return r.Status.State != runs.Finished })
	if len(finished) == 0 {
		return nil, withoutPredictions(a, &compare.NoPredictionsError{Run: list[len(list)-1]})
	}
	groups := report.BySetting(finished)
	if named { // the setting of the newest
		newest := finished[len(finished)-1]
		groups = slices.DeleteFunc(groups, func(g []*runs.Run) bool { return !slices.Contains(g, newest) })
	}
	if len(groups) > 1 {
		return nil, manySettings(ref, groups)
	}
	g := groups[0]
	if n := len(list) - len(finished); n > 0 && !named {
		a.Warn(fmt.Errorf("%s: left out %d of its runs, not finished", ref, n))
	}
	for i := 1; i < len(g); i++ {
		if g[i].Config.Seed() == g[i-1].Config.Seed() {
			return nil, fmt.Errorf("%s names seed %d twice: %s and %s; name one by its folder", ref, g[i].Config.Seed(), g[i-1].Path, g[i].Path)
		}
	}
	return g, nil
}

// withoutPredictions adds to such an error what to type.
func withoutPredictions(a *cli.App, err error) error {
	e, ok := errors.AsType[*compare.NoPredictionsError](err)
	if !ok {
		return err
	}
	config := filepath.Join(e.Run.Path, "config.yaml")
	switch e.Run.Status.State {
	case runs.Created, runs.Unfinished:
		return fmt.Errorf("%w; train it to its end: %s", err, a.Command("run", config))
	case runs.Finished: // exp run passes over it
		return fmt.Errorf("%w; train it again, to the same numbers: %s", err, a.Command("run", config, "--force"))
	}
	return err
}

// manySettings says in what the runs differ and how to name those of one setting.
func manySettings(ref string, groups [][]*runs.Run) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s names runs of %d settings, which have no mean; choose one:", ref, len(groups))
	keys := report.Telling(groups)
	_, given, _ := strings.Cut(strings.TrimSuffix(ref, "]"), "[")
	for i, g := range groups {
		if i == 20 {
			fmt.Fprintf(&b, "\n  and %d more", len(groups)-i)
			break
		}
		c := &g[0].Config
		var parts []string
		if given != "" {
			parts = append(parts, given)
		}
		for _, k := range keys {
			if v, ok := c.Settings.Get(k); ok {
				parts = append(parts, k+"="+v)
			}
		}
		word := c.ID
		if len(parts) > 0 {
			word = fmt.Sprintf("%s[%s]", c.Name, strings.Join(parts, ","))
		}
		fmt.Fprintf(&b, "\n  %s", cli.Quoted(word))
	}
	return errors.New(b.String())
}
