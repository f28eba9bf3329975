package run

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

// task is one plan as a task of the array.
type task struct {
	plan   *plan.Plan
	label  string // [3/60] tme9-lstm seed=3
	config runs.Config

	run         *runs.Run      // nil before its folder exists
	entry       *slurm.Entry   // what Slurm says about it; nil if it was never submitted, or just now
	holder      *fsx.HeldError // the process that trains the run without being a task of this grid
	shown       string         // what was printed about it last: see where
	submissions int            // since the last checkpoint
	checkpoint  time.Time      // of the last submission's newest checkpoint
	missing     int            // checks since it ended without a finished run
	over        bool           // nothing more will happen to it
	before      bool           // it was over before anything was submitted
	err         error          // why it is over without a result
}

const (
	// maxSubmissions limits how often a task that the cluster lost is submitted again without a
	// checkpoint in between.
	maxSubmissions = 3
	// maxMissing is how many checks the result of a task may take to appear after its end:
	// network file systems show new files late.
	maxMissing = 6
)

// live reports whether the task waits or runs.
func (t *task) live() bool { return t.entry != nil && !t.entry.Ended() }

// The places of tasks without a node.
const queue, over = "queue", "over"

// where returns the node of the task, queue or over; "" if nothing is known.
func (t *task) where() string {
	switch {
	case t.over:
		return over
	case t.holder != nil:
		return fmt.Sprintf("%s (process %d, not of this grid)", t.holder.Host, t.holder.PID)
	case t.live() && t.entry.Waits():
		return queue
	case t.live():
		return t.entry.Nodes
	}
	return ""
}

// read opens the run of a task, if it exists; the task is over when the run has ended.
func (s *array) read(t *task) {
	r, err := runs.Lookup(s.Runs, &t.config)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil { // the folder may be incomplete; Slurm says when its task has ended
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
		next := "Submitted again, it continues from the checkpoint before"
		if !r.Restorable() {
			next = "Train it again with --force"
		}
		t.err = fmt.Errorf("%s: %s. %s", r.Label(), r.Status, next)
	}
}

// trainedElsewhere reports whether another process trains the run of a task that is not in the
// queue.
func (t *task) trainedElsewhere() bool {
	if t.holder = nil; !t.live() && t.run != nil {
		t.holder = t.run.Held()
	}
	return t.holder != nil
}

// newestCheckpoint returns the time of the newest checkpoint; zero if there is none.
func (t *task) newestCheckpoint() time.Time {
	if t.run == nil {
		return time.Time{}
	}
	info, err := os.Stat(filepath.Join(t.run.Path, "last.safetensors"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (t *task) epoch() int {
	if t.run == nil {
		return 0
	}
	return t.run.Status.Epoch
}

// after says how far the task has got: " after epoch 3 of 42", or "".
func (t *task) after() string {
	if t.epoch() == 0 {
		return ""
	}
	return fmt.Sprintf(" after epoch %d of %d", t.epoch(), t.plan.Run.Epochs)
}
