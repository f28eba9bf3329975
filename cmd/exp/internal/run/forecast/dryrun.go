// Package forecast is exp run --dry-run: what would runs take?
package forecast

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// How long a kind of run that was never trained here is tried for its speed, and
// all of them together.
const (
	paceTrial  = 300 * time.Millisecond
	paceBudget = 20 * time.Second
)

// Show shows what would be trained, how long that takes and how much memory. It
// reads the data, which the IDs hang on, and keeps nothing.
func Show(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, jobs grid.Jobs) error {
	f := newForecast(a, r, jobs, len(plans))
	defer func() { a.Warn(f.close()) }()
	labels := grid.Labels(plans)
	t := term.NewTable(term.Column{Head: "run"}, term.Column{Head: "id", Optional: 3}, term.Column{Head: "epochs", Right: true},
		term.Column{Head: "words", Right: true, Optional: 1}, term.Column{Head: "time", Right: true},
		term.Column{Head: "memory", Right: true, Optional: 2}, term.Column{Head: "would"})
	for i, p := range plans {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := f.of(ctx, p)
		if err != nil {
			return err
		}
		t.Add(labels[i], row.id, fmt.Sprint(p.Run.Epochs), format.SI(row.words), row.time(), format.Bytes(row.memory), row.would)
	}
	f.stop()
	if err := t.Print(a.IO); err != nil {
		return err
	}
	if a.IO.Terminal() {
		a.Say(f.all(), "", "  ")
	}
	if len(plans) == 1 {
		progress.Overrides(a.IO, plans[0])
	} else if a.IO.Terminal() {
		grid.PrintOverrides(a.IO, plans)
	}
	return nil
}

// would tells what exp run does about a run, and how many of its epochs are there.
func would(a *cli.App, r *training.Runner, c *runs.Config) (what string, from int, err error) {
	found, err := runs.Lookup(r.Dir, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		shorter, err := runs.Shorter(r.Dir, c)
		a.Warn(err) // a folder that cannot be read is not in the way
		if shorter != nil && !r.Force {
			return fmt.Sprintf("go on from the %s of %s", format.Counted(shorter.Status.Epoch, "epoch"), shorter.Label()), shorter.Status.Epoch, nil
		}
		return "train", 0, nil
	case r.Force:
		return "train again", 0, nil
	case err != nil:
		return "", 0, err
	}
	switch s := found.Status; s.State {
	case runs.Finished:
		if err := found.CheckLines(); err != nil {
			return "fail: " + strings.ReplaceAll(err.Error(), "\n", " ") + "; --force trains it again", c.Epochs(), nil
		}
		return "skip: finished", c.Epochs(), nil
	case runs.Unfinished:
		return fmt.Sprintf("go on after epoch %d", s.Epoch), s.Epoch, nil
	case runs.Created:
		return "train", 0, nil
	case runs.Damaged:
		if !found.Restorable() {
			return "fail: " + strings.ReplaceAll(s.String(), "\n", " ") + "; --force trains it again", c.Epochs(), nil
		}
		return "go on from the checkpoint before: " + strings.ReplaceAll(s.Message, "\n", " "), 0, nil
	default:
		return "fail: " + strings.ReplaceAll(s.String(), "\n", " "), c.Epochs(), nil
	}
}
