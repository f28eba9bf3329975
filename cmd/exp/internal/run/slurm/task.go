package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
	"imdbexp/runs"
)

// task is one plan as a task of an array.
type task struct {
	plan   *plan.Plan
	label  string // [3/60] tme9-lstm seed=3
	config runs.Config

	run     *runs.Run // nil before its folder exists
	found   slurm.Found
	held    *fsx.HeldError // who trains the run without being a task of this grid, such as one of another grid
	place   string         // where it was last time: a node, "queue", "over" or ""
	waited  string         // how far it had got when it last was in the queue
	tries   int            // submissions since the last checkpoint
	reached time.Time      // of that checkpoint
	missing int            // looks since it ended without its run
	over    bool           // nothing more will come of it
	before  bool           // that was so before anything was submitted
	err     error          // why it has no result then
}

const (
	// maxTries bounds how often a task that its cluster lost is submitted again
	// without having made a checkpoint in between.
	maxTries = 3
	// maxMissing bounds how many looks a run may take to appear in the folder after
	// its task has ended: network file systems show new files late.
	maxMissing = 6
)

// read opens the run of a task, if it is there, and ends the task when the run has
// ended.
func (s *array) read(t *task) {
	r, err := runs.Lookup(s.Runs, &t.config)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil { // it may be half there yet; Slurm tells when its task has ended
		t.err = err
		return
	}
	t.run, t.err = r, nil
	switch r.Status.State {
	case runs.Finished:
		t.over = true
	case runs.Diverged:
		t.over, t.err = true, training.DivergedIn(r, t.plan)
	case runs.Damaged:
		then := "Submitted again, it goes on from the checkpoint before"
		if !r.Restorable() {
			then = "It is trained again with --force"
		}
		t.err = fmt.Errorf("%s: %s. %s", r.Label(), r.Status, then)
	}
}

// elsewhere reports whether the run of a task that is not in the queue is being
// trained all the same.
func (t *task) elsewhere() bool {
	if t.held = nil; t.found.Entry == nil && t.run != nil {
		t.held = t.run.Held()
	}
	return t.held != nil
}

// checkpointed returns when the task last made a checkpoint; zero before any.
func (t *task) checkpointed() time.Time {
	if t.run == nil {
		return time.Time{}
	}
	var last time.Time
	files, _ := filepath.Glob(filepath.Join(t.run.Path, "*.safetensors"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// epoch returns how many whole epochs there are.
func (t *task) epoch() int {
	if t.run == nil {
		return 0
	}
	return t.run.Status.Epoch
}

// after tells how far the task has got: " after epoch 3 of 42".
func (t *task) after() string {
	if t.epoch() == 0 {
		return ""
	}
	return fmt.Sprintf(" after epoch %d of %d", t.epoch(), t.plan.Run.Epochs)
}

// worthAnother decides about a task that has ended without its run: whether to submit it
// again at once. If not, the task is over, and err says why.
func (s *array) worthAnother(t *task) bool {
	end := *t.found.End
	if end.State == slurm.Completed || end.State == slurm.Unknown {
		if t.missing++; t.missing < maxMissing {
			return false
		}
	}
	if at := t.checkpointed(); at.After(t.reached) {
		t.reached, t.tries = at, 0
	}
	if end.Lost() && t.tries < maxTries && t.err == nil {
		t.tries++
		s.say("%s: %s%s; submitting it again", t.label, end, t.after())
		return true
	}
	t.over = true
	if t.err == nil { // the run's own error says more
		t.err = fmt.Errorf("%s%s", end, t.after())
	}
	if log := s.grid.Log(t.found.Task); end.State != slurm.Cancelled {
		t.err = fmt.Errorf("%w; see %s%s", t.err, log, lastLine(log))
	}
	return false
}
