package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// How long a kind of run that was never trained here is tried for its speed, and
// all of them together.
const (
	paceTrial  = 300 * time.Millisecond
	paceBudget = 20 * time.Second
)

// dryRun shows what would be trained, how long that takes and how much memory. It
// reads the data, which the IDs hang on, and keeps nothing.
func (a *app) dryRun(ctx context.Context, r *training.Runner, plans []*plan.Plan, o runOptions) error {
	f := a.newForecast(r, o, len(plans))
	defer f.close()
	labels := gridLabels(plans)
	t := term.NewTable(term.Column{Head: "run"}, term.Column{Head: "id", Optional: 3}, term.Column{Head: "epochs", Right: true},
		term.Column{Head: "words", Right: true, Optional: 1}, term.Column{Head: "time", Right: true},
		term.Column{Head: "memory", Right: true, Optional: 2}, term.Column{Head: "would"})
	for i, p := range plans {
		row, err := f.of(ctx, p)
		if err != nil {
			return err
		}
		t.Add(labels[i], row.id, fmt.Sprint(p.Run.Epochs), si(row.words), row.time(), fileSize(row.memory), row.would)
	}
	f.stop()
	if err := t.Print(a.io); err != nil {
		return err
	}
	if a.io.Terminal() {
		a.printf("%s\n", a.wrap(f.all(), "", "  "))
	}
	if len(plans) == 1 {
		a.overrides(plans[0])
	} else if a.io.Terminal() {
		a.gridOverrides(plans)
	}
	return nil
}

// would tells what exp run does about a run, and how many of its epochs are there.
func (a *app) would(r *training.Runner, c *runs.Config) (what string, from int, err error) {
	found, err := runs.Lookup(r.Dir, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		shorter, err := runs.Shorter(r.Dir, c)
		a.warn(err) // a folder that cannot be read is not in the way
		if shorter != nil && !r.Force {
			return fmt.Sprintf("go on from the %d %s of %s", shorter.Status.Epoch, counted(shorter.Status.Epoch, "epoch"), shorter.Label()), shorter.Status.Epoch, nil
		}
		return "train", 0, nil
	case err != nil:
		return "", 0, err
	case r.Force:
		return "train again", 0, nil
	}
	switch s := found.Status; s.State {
	case runs.Finished:
		return "skip: finished", c.Epochs(), nil
	case runs.Unfinished:
		return fmt.Sprintf("go on after epoch %d", s.Epoch), s.Epoch, nil
	case runs.Created:
		return "train", 0, nil
	default:
		return "fail: " + strings.ReplaceAll(s.String(), "\n", " "), c.Epochs(), nil
	}
}
