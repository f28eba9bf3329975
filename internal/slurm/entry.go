package slurm

import (
	"fmt"
	"slices"
)

// Entry is Slurm's record of a task.
type Entry struct {
	Job   string // ID of the array
	Array string // its name
	Index int    // in the array
	State string // Slurm's name, such as PENDING or TIMEOUT ("JOB STATE CODES" in man squeue)
	Nodes string
	Exit  int // exit code of a task that has ended; -1 if it is unknown, or ended by a signal
}

// Some states of a task that has ended.
const (
	Completed = "COMPLETED"
	Cancelled = "CANCELLED"
	Unknown   = "UNKNOWN" // not Slurm's: the task has ended and Slurm has forgotten it
	failed    = "FAILED"
)

// ends describes each final state of a task. In any other state the controller still manages
// the task.
var ends = map[string]string{
	Completed:       "ended without a finished run",
	Cancelled:       "cancelled",
	Unknown:         "ended, and Slurm no longer knows how",
	failed:          "failed",
	"TIMEOUT":       "killed at its time limit",
	"NODE_FAIL":     "its node failed",
	"BOOT_FAIL":     "its node failed to start",
	"PREEMPTED":     "preempted",
	"OUT_OF_MEMORY": "out of memory: ask for more with --slurm-memory",
	"DEADLINE":      "its deadline passed",
}

// ID returns the name of the task for Slurm's commands.
func (e *Entry) ID() string { return fmt.Sprintf("%s_%d", e.Job, e.Index) }

// Ended reports whether the task is in a final state.
func (e *Entry) Ended() bool { return ends[e.State] != "" }

// Waits reports whether the task is in the queue and has no node yet.
func (e *Entry) Waits() bool {
	return slices.Contains([]string{"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "CONFIGURING"}, e.State)
}

const (
	exitStopped  = 130 // of exp run, when it was stopped and has written a checkpoint
	exitTooShort = 124 // of the batch script, when the time limit came before any checkpoint
)

// Lost reports whether the task should be submitted again at once: its node failed, it was
// preempted, or it reached its time limit and could not be requeued.
func (e *Entry) Lost() bool {
	return slices.Contains([]string{"NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "TIMEOUT"}, e.State) || e.State == failed && e.Exit == exitStopped
}

// String describes how the task ended.
func (e *Entry) String() string {
	switch {
	case e.State != failed:
		return ends[e.State]
	case e.Exit == exitTooShort:
		return "it reached its time limit before the first checkpoint: ask for more with --slurm-time"
	case e.Exit == exitStopped:
		return "stopped after a checkpoint"
	case e.Exit > 0:
		return fmt.Sprintf("exit code %d", e.Exit)
	}
	return ends[failed]
}

// newer reports whether job a was submitted after job b: IDs grow. "" comes before all.
func newer(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }
