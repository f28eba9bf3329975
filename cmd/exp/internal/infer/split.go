package infer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// errFound ends a walk whose caller has what it needs.
var errFound = errors.New("found")

// Reviews returns the original reviews of a run's data with the given IDs, such as test/pos/0_10.
// dir is the data folder. An unknown ID is an error.
func Reviews(ctx context.Context, dir string, run *runs.Run, ids []string) ([]dataset.Review, error) {
	src, err := folder.Source(dir, run.Config.Data.Name, folder.Options{})
	if err != nil {
		return nil, err
	}
	wanted := map[string][]int{}
	for i, id := range ids {
		wanted[id] = append(wanted[id], i)
	}
	out, left := make([]dataset.Review, len(ids)), len(wanted)
	var all []string // for the hint
	err = src.Reviews(ctx, func(_ dataset.Part, r dataset.Review) error {
		all = append(all, r.ID)
		places, ok := wanted[r.ID]
		if !ok {
			return nil
		}
		for _, i := range places {
			out[i] = r
		}
		if left--; left == 0 {
			return errFound
		}
		return nil
	})
	switch {
	case errors.Is(err, errFound):
		return out, nil
	case err != nil:
		return nil, err
	}
	for i, id := range ids {
		if out[i].ID == "" {
			return nil, fmt.Errorf("review %s is not in %s%s", id, src, nearestReview(id, all))
		}
	}
	return out, nil
}

// nearestReview returns a hint with the most similar ID: one that ends in the given one, or the
// nearest by edit distance.
func nearestReview(id string, all []string) string {
	for _, other := range all {
		if strings.HasSuffix(other, "/"+id) {
			return " (did you mean " + other + "?)"
		}
	}
	return settings.Nearest(id, all)
}

// FirstReview returns the first test review of a run's data, for runs without predictions to choose
// by.
func FirstReview(ctx context.Context, dir string, run *runs.Run) (found dataset.Review, err error) {
	src, err := folder.Source(dir, run.Config.Data.Name, folder.Options{})
	if err != nil {
		return found, err
	}
	err = src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		if p != dataset.Test {
			return nil
		}
		found = r
		return errFound
	})
	if err == nil {
		return found, fmt.Errorf("%s has no test reviews", src)
	}
	if errors.Is(err, errFound) {
		err = nil
	}
	return found, err
}

// Text returns the original text of a review of the run's data, such as test/pos/0_10. dir is the
// data folder.
func Text(ctx context.Context, dir string, run *runs.Run, id string) (string, error) {
	list, err := Reviews(ctx, dir, run, []string{id})
	if err != nil {
		return "", err
	}
	return list[0].Text, nil
}
