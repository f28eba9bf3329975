package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/ops"
	"imdbexp/internal/system"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// measured is how long each kind of run is trained to measure its speed.
const measured = 300 * time.Millisecond

// total adds up the runs that would be trained.
type total struct {
	runs             int
	seconds, longest float64
	unknown          int     // runs whose time is unknown
	own              []int64 // memory of each run
	shared           int64   // memory of the program with the data that the runs share
}

// forecast prints what exp run would train, the time and the memory: exp run --dry-run. It reads the
// data, on which the IDs depend, trains each kind of run briefly and keeps nothing.
func forecast(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, j jobs) error {
	atOnce, workers := j.share(cores(), a.Workers, len(plans))
	runner := *r
	runner.Pool = ops.NewPool(workers)
	defer runner.Pool.Close()
	var stop func()
	r.Loader.Progress, r.Loader.Vectors, stop = progress.Watching(a.IO)
	costs := parallel.Costs{Runner: &runner, AtLeast: measured}
	labels := labelsOf(plans)
	t := term.NewTable(term.Column{Head: "run"}, term.Column{Head: "id", Optional: 3}, term.Column{Head: "epochs", Right: true},
		term.Column{Head: "words/s", Right: true, Optional: 1}, term.Column{Head: "time", Right: true},
		term.Column{Head: "memory", Right: true, Optional: 2}, term.Column{Head: "would"})
	var sum total
	for i, p := range plans {
		j, err := runner.Job(ctx, p)
		if err != nil {
			return err
		}
		if sum.shared == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			sum.shared = int64(m.Sys - m.HeapReleased)
		}
		would, done := wouldDo(a, j)
		words, seconds, bytes := format.None, format.None, format.None
		if done < p.Run.Epochs {
			cost, err := costs.Of(ctx, j)
			if err != nil {
				return err
			}
			words, seconds, bytes = sum.add(cost, &j.Config, done)
		}
		t.Add(labels[i], j.Config.ID, fmt.Sprint(p.Run.Epochs), words, seconds, bytes, would)
	}
	stop()
	t.Print(a.IO)
	if a.IO.Terminal() {
		a.Say(sum.text(atOnce), "", "  ")
	}
	if len(plans) == 1 || a.IO.Terminal() {
		progress.Overrides(a.IO, plans...)
	}
	return nil
}

// wouldDo describes what exp run does about a job and returns how many of its epochs are done.
func wouldDo(a *cli.App, j *training.Job) (would string, done int) {
	finished, err := j.Done()
	switch {
	case err != nil:
		return "fail: " + strings.ReplaceAll(err.Error(), "\n", " "), j.Config.Epochs()
	case finished:
		return "skip: finished", j.Config.Epochs()
	}
	found, err := runs.Lookup(j.Runner.Dir, &j.Config)
	switch {
	case j.Runner.Force && !errors.Is(err, fs.ErrNotExist):
		return "train again", 0
	case j.Runner.Force:
		return "train", 0
	case err == nil && found.Status.State == runs.Damaged:
		return "continue from the checkpoint before: " + strings.ReplaceAll(found.Status.Message, "\n", " "), 0
	case err == nil && found.Status.State == runs.Unfinished:
		return fmt.Sprintf("continue after epoch %d", found.Status.Epoch), found.Status.Epoch
	}
	shorter, err := runs.Shorter(j.Runner.Dir, &j.Config)
	a.Warn(err) // a folder that cannot be read does not matter
	if shorter != nil {
		return fmt.Sprintf("continue from the %s of %s", format.Counted(shorter.Status.Epoch, "epoch"), shorter.Label()), shorter.Status.Epoch
	}
	return "train", 0
}

// add adds a run that would be trained and returns its speed, time and memory.
func (t *total) add(cost training.Cost, c *runs.Config, done int) (words, seconds, bytes string) {
	t.runs++
	if cost.Words == 0 {
		t.unknown++
		return "unknown", "unknown", "unknown"
	}
	s := parallel.Seconds(cost, c, done)
	t.seconds, t.longest = t.seconds+s, max(t.longest, s)
	t.own = append(t.own, cost.Bytes)
	return format.SI(cost.Words), "~" + format.Clock(s), format.Bytes(t.shared + cost.Bytes)
}

// text sums up the runs, of which jobs are trained at a time.
func (t *total) text(jobs int) string {
	if t.runs == 0 {
		return "nothing to train"
	}
	text := fmt.Sprintf("to train: %s, %d at a time", format.Counted(t.runs, "run"), jobs)
	if t.unknown < t.runs {
		text += ", about " + format.Clock(max(t.longest, t.seconds/float64(jobs)))
	}
	if t.unknown > 0 {
		text += fmt.Sprintf(" (the time of %d is unknown)", t.unknown)
	}
	slices.Sort(t.own)
	peak := t.shared
	for _, n := range t.own[max(0, len(t.own)-jobs):] {
		peak += n
	}
	text += fmt.Sprintf("; up to %s of memory", format.Bytes(peak))
	if free, ok := system.FreeMemory(); ok {
		text += fmt.Sprintf(", %s is free", format.Bytes(free))
	}
	return text
}
