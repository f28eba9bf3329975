package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"imdbexp/experiments"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// dryRun shows what would be trained. It reads the data, which the IDs hang on.
func (a *app) dryRun(ctx context.Context, r *experiments.Runner, plans []*experiments.Plan) error {
	labels := gridLabels(plans)
	t := term.NewTable(term.Column{Head: "run"}, term.Column{Head: "id"}, term.Column{Head: "epochs", Right: true},
		term.Column{Head: "words", Right: true, Optional: 1}, term.Column{Head: "would"})
	for i, p := range plans {
		c, _, err := r.Describe(ctx, p)
		if err != nil {
			return err
		}
		would, err := a.would(r, &c)
		if err != nil {
			return err
		}
		t.Add(labels[i], c.ID, fmt.Sprint(p.Run.Epochs), si(float64(c.Data.Train.Words*p.Run.Epochs)), would)
	}
	if err := t.Print(a.io); err != nil {
		return err
	}
	if len(plans) == 1 {
		a.overrides(plans[0])
	} else if a.io.Terminal() {
		a.gridOverrides(plans)
	}
	return nil
}

// would tells what exp run does about a run.
func (a *app) would(r *experiments.Runner, c *runs.Config) (string, error) {
	found, err := runs.Lookup(r.Dir, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		shorter, err := runs.Shorter(r.Dir, c)
		a.warn(err) // a folder that cannot be read is not in the way
		if shorter != nil && !r.Force {
			return fmt.Sprintf("go on from the %d epochs of %s", shorter.Status.Epoch, shorter.Label()), nil
		}
		return "train", nil
	case err != nil:
		return "", err
	case r.Force:
		return "train again", nil
	}
	switch s := found.Status; s.State {
	case runs.Finished:
		return "skip: finished", nil
	case runs.Unfinished:
		return fmt.Sprintf("go on after epoch %d", s.Epoch), nil
	case runs.Created:
		return "train", nil
	default:
		return "fail: " + strings.ReplaceAll(s.String(), "\n", " "), nil
	}
}
