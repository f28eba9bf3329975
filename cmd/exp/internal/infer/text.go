package infer

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/open"
	"imdbexp/runs"
)

var errFound = errors.New("found")

// Text returns a review of the run's data as it was written, such as
// test/pos/0_10. dir is the data folder.
func Text(ctx context.Context, dir string, run *runs.Run, id string) (string, error) {
	src, err := open.Source(dir, run.Config.Data.Name, open.Options{})
	if err != nil {
		return "", err
	}
	text := ""
	err = src.Reviews(ctx, func(_ dataset.Part, r dataset.Review) error {
		if r.ID != id {
			return nil
		}
		text = r.Text
		return errFound
	})
	switch {
	case errors.Is(err, errFound):
		return text, nil
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("review %s is not in %s: the data has changed since", id, src)
}
