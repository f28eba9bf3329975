package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/experiments"
	"imdbexp/runs"
)

// chosen returns the runs that words name, or all: a word is what names runs (see
// runs.Match), a group, or a folder with runs in it.
func (a *app) chosen(refs []string) ([]*runs.Run, error) {
	if len(refs) == 0 {
		list, err := runs.List(a.runs)
		a.warn(err) // the others are good
		return list, nil
	}
	var out []*runs.Run
	for _, ref := range refs {
		list, err := a.named(ref)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func (a *app) named(ref string) ([]*runs.Run, error) {
	if group := experiments.Group(ref); len(group) > 0 {
		list, err := runs.List(a.runs)
		a.warn(err)
		return slices.DeleteFunc(list, func(r *runs.Run) bool {
			return !slices.ContainsFunc(group, func(e *experiments.Experiment) bool { return e.Name == r.Config.Name })
		}), nil
	}
	list, err := runs.Match(a.runs, ref)
	if err == nil {
		return list, nil
	}
	// A name comes before a folder of that name.
	if info, statErr := os.Stat(ref); statErr != nil || !info.IsDir() {
		return nil, err
	}
	inside, damage := a.inside(ref)
	switch {
	case len(inside) > 0:
		a.warn(damage)
		return inside, nil
	case damage == nil && errors.Is(err, fs.ErrNotExist): // it was taken for the folder of a run
		return nil, fmt.Errorf("%s holds no runs", ref)
	case damage == nil && !isRun(ref):
		return nil, fmt.Errorf("%w, and the folder %s holds no runs", err, ref)
	}
	return nil, errors.Join(err, damage)
}

// isRun reports whether a folder is that of one run, which may be damaged.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "config.yaml"))
	return !errors.Is(err, fs.ErrNotExist)
}

// inside returns the runs in a folder of runs, or in that of one experiment.
func (a *app) inside(dir string) ([]*runs.Run, error) {
	list, err := runs.List(dir)
	if len(list) > 0 {
		return list, err
	}
	ids, readErr := os.ReadDir(dir)
	errs := []error{err, readErr}
	for _, id := range ids {
		r, err := runs.Open(filepath.Join(dir, id.Name()))
		switch {
		case err == nil:
			list = append(list, r)
		case id.IsDir() && !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, err)
		}
	}
	return list, errors.Join(errs...)
}
