package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/runs"
)

// chosen returns the runs that the arguments name, or all. An argument names runs (see runs.Match),
// a group, or a folder with runs. damage joins the errors of those that cannot be read.
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

// where returns the runs that satisfy the conditions of --where; none is an error.
func where(list []*runs.Run, conditions []string) ([]*runs.Run, error) {
	out, err := cli.Where(list, conditions)
	if err == nil && len(out) == 0 && len(list) > 0 {
		err = fmt.Errorf("none of these runs has %s", strings.Join(conditions, " and "))
	}
	return out, err
}

// trainable returns the arguments that exp run takes, too: groups and experiments.
func trainable(refs []string) []string {
	var out []string
	for _, ref := range refs {
		if _, err := experiments.Lookup(ref); err == nil || len(experiments.Group(ref)) > 0 {
			out = append(out, ref)
		}
	}
	return out
}

func named(a *cli.App, ref string) (list []*runs.Run, damage, err error) {
	if group := experiments.Group(ref); len(group) > 0 {
		of := func(name string) bool {
			return slices.ContainsFunc(group, func(e *experiments.Experiment) bool { return e.Name == name })
		}
		list, err = runs.List(a.Runs)
		for _, e := range runs.Unreadable(err) {
			if of(filepath.Base(filepath.Dir(e.Path))) {
				damage = errors.Join(damage, e)
			}
		}
		return slices.DeleteFunc(list, func(r *runs.Run) bool { return !of(r.Config.Name) }), damage, runs.Fatal(err)
	}
	list, err = runs.Match(a.Runs, ref)
	if err == nil {
		if name, _, _ := strings.Cut(ref, "["); name == list[0].Config.Name { // also those that cannot be read
			_, damage = inside(filepath.Join(a.Runs, name))
		}
		return list, damage, nil
	}
	// A name comes before a folder of that name.
	if info, statErr := os.Stat(ref); statErr != nil || !info.IsDir() {
		return nil, nil, err
	}
	list, damage = inside(ref)
	if len(list) == 0 && damage == nil {
		return nil, nil, fmt.Errorf("%w, and the folder %s holds no runs", err, ref)
	}
	return list, damage, nil
}

// inside returns the runs in a folder of runs, or in the folder of one experiment.
func inside(dir string) ([]*runs.Run, error) {
	list, err := runs.List(dir)
	if len(list) > 0 || runs.Fatal(err) != nil {
		return list, err
	}
	ids, readErr := os.ReadDir(dir)
	errs := []error{err, readErr}
	for _, id := range ids {
		path := filepath.Join(dir, id.Name())
		r, err := runs.Open(path)
		switch {
		case err == nil:
			list = append(list, r)
		case id.IsDir() && !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, &runs.UnreadableError{Path: path, Err: err})
		}
	}
	return list, errors.Join(errs...)
}
