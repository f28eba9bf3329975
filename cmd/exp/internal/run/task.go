package run

import (
	"errors"
	"fmt"
	"io/fs"
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
	entry       *slurm.Entry   // its state in Slurm; nil if it was never submitted, or just now
	holder      *fsx.HeldError // the process that trains the run without being a task of this grid
	place       string         // last one printed: a node, queue, over, or "" if unknown
	submissions int            // since the last checkpoint
	checkpoint  time.Time      // of the last submission's newest checkpoint
	missing     int            // checks since it ended without a finished run
	over        bool           // it will not change again
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
	// The places of tasks without a node.
	queue, over = "queue", "over"
)

// live reports whether the task waits or runs.
func (t *task) live() bool { return t.entry != nil && !t.entry.Ended() }

// active reports whether the task waits or runs, or another process trains its run.
func (t *task) active() bool {
	if t.holder = nil; !t.live() && t.run != nil {
		t.holder = t.run.Held()
	}
	return t.live() || t.holder != nil
}

// read opens the run of a task, if it exists; the task is over when the run has ended.
func (s *array) read(t *task) {
	r, err := runs.Lookup(s.Runs, &t.config)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if t.err = err; err != nil { // the folder may be incomplete; Slurm says when its task has ended
		return
	}
	t.run = r
	switch r.Status.State {
	case runs.Finished:
		t.over = true
	case runs.Diverged:
		t.over, t.err = true, training.DivergedIn(r, t.plan)
	case runs.Damaged:
		t.err = fmt.Errorf("%s: %s. exp doctor says how to train it again", r.Label(), r.Status)
	}
}

func (t *task) epoch() int {
	if t.run == nil {
		return 0
	}
	return t.run.Status.Epoch
}

// after returns the progress of the task: " after epoch 3 of 42", or "".
func (t *task) after() string {
	if t.epoch() == 0 {
		return ""
	}
	return fmt.Sprintf(" after epoch %d of %d", t.epoch(), t.plan.Run.Epochs)
}
