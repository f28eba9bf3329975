package infer

import (
	"context"

	"imdbexp/runs"
)

// Text returns the original text of a review of the run's data, such as test/pos/0_10. dir is the
// data folder.
func Text(ctx context.Context, dir string, run *runs.Run, id string) (string, error) {
	list, err := Reviews(ctx, dir, run, []string{id})
	if err != nil {
		return "", err
	}
	return list[0].Text, nil
}
