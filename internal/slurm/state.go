package slurm

import "strings"

// State is a job state by Slurm's full name, such as PENDING or TIMEOUT (see
// "JOB STATE CODES" in squeue's manual).
type State string

// The states that this package names. Any other one that squeue lists counts as
// live: the controller has the job in hand.
const (
	Pending     State = "PENDING"
	Running     State = "RUNNING"
	Completed   State = "COMPLETED"
	Failed      State = "FAILED"
	Cancelled   State = "CANCELLED"
	Timeout     State = "TIMEOUT"
	NodeFail    State = "NODE_FAIL"
	BootFail    State = "BOOT_FAIL"
	OutOfMemory State = "OUT_OF_MEMORY"
	Preempted   State = "PREEMPTED"
	Deadline    State = "DEADLINE"
	Revoked     State = "REVOKED"
	// Unknown is not Slurm's: the job has ended and nobody remembers how.
	Unknown State = "UNKNOWN"
)

// parseState reads a state; sacct writes "CANCELLED by 1000".
func parseState(text string) State {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return State(strings.TrimSuffix(word, "+")) // sacct's mark of a cut column
}

// Ended reports whether a job in this state will not run on by itself.
func (s State) Ended() bool {
	switch s {
	case Completed, Failed, Cancelled, Timeout, NodeFail, BootFail, OutOfMemory, Preempted, Deadline, Revoked, Unknown:
		return true
	}
	return false
}

// waits reports whether a live job in this state has no node yet.
func (s State) waits() bool {
	switch s {
	case Pending, "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "CONFIGURING":
		return true
	}
	return false
}

// End is how a task ended.
type End struct {
	Job    string `json:"job"` // ID of the array
	State  State  `json:"state"`
	Exit   int    `json:"exit"`             // exit code; -1 where it is not known
	Signal int    `json:"signal,omitempty"` // signal that ended it, or 0
	Reason string `json:"reason,omitempty"` // Slurm's word for why
}

// exitStopped is the exit code of exp run when it was told to stop and has made its
// checkpoint; exitTooShort is that of the batch script when the time limit came
// before any checkpoint.
const (
	exitStopped  = 130
	exitTooShort = 124
)

// Lost reports whether the task ended through no fault of its own, so that it is
// worth submitting again at once: its node failed, it was preempted, or its time was
// up and it could not be put back into the queue.
func (e End) Lost() bool {
	switch e.State {
	case NodeFail, BootFail, Preempted, Revoked, Timeout:
		return true
	case Failed:
		return e.Exit == exitStopped
	}
	return false
}

// String says it for people.
func (e End) String() string {
	switch {
	case e.State == Cancelled:
		return "cancelled"
	case e.State == Timeout:
		return "killed at its time limit"
	case e.State == NodeFail, e.State == BootFail:
		return "its node failed"
	case e.State == Preempted, e.State == Revoked:
		return "preempted"
	case e.State == OutOfMemory:
		return "out of memory: ask for more with --slurm-memory"
	case e.State == Deadline:
		return "its deadline passed"
	case e.State == Completed:
		return "ended without its run"
	case e.State == Unknown:
		return "ended, and Slurm does not know how"
	case e.Exit == exitTooShort:
		return "its time was up before a checkpoint: ask for more with --slurm-time"
	case e.Exit == exitStopped:
		return "stopped after a checkpoint"
	case e.Signal != 0:
		return "ended by signal " + itoa(e.Signal)
	case e.Exit > 0:
		return "exit code " + itoa(e.Exit)
	case e.Reason != "":
		return strings.ToLower(string(e.State)) + " (" + e.Reason + ")"
	}
	return strings.ToLower(string(e.State))
}
