package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client calls Slurm's commands.
type Client struct {
	// Run runs a command and returns its standard output; nil runs the real command. Tests
	// replace it.
	Run func(ctx context.Context, name string, args ...string) (string, error)
}

// commandLimit is the time that a command may take: a busy controller answers late.
const commandLimit = time.Minute

func (c *Client) run(ctx context.Context, name string, args ...string) (string, error) {
	if c.Run != nil {
		return c.Run(ctx, name, args...)
	}
	limited, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	var out, errOut bytes.Buffer
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("%s is not installed on this machine: use --on slurm where you would use sbatch", name)
	}
	// Ctrl-C must not end sbatch after it has submitted a job and before it has printed its ID.
	cmd := exec.CommandContext(limited, "sh", append([]string{"-c", `trap "" INT; exec "$0" "$@"`, name}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", fmt.Errorf("%s did not answer within %s", name, commandLimit)
	case err != nil && errOut.Len() > 0:
		return "", fmt.Errorf("%s: %s", name, strings.Join(strings.Fields(errOut.String()), " "))
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// submit submits tasks 0 to tasks−1 of a script as one array and returns its job ID. atOnce limits how
// many run at a time; 0 means no limit. script is the script and its arguments.
func (c *Client) submit(ctx context.Context, name string, tasks, atOnce int, script ...string) (string, error) {
	array := fmt.Sprintf("0-%d", tasks-1)
	if atOnce > 0 {
		array += fmt.Sprintf("%%%d", atOnce)
	}
	// Cancelling sbatch could lose the ID of a job that is already submitted.
	args := append([]string{"--parsable", "--array=" + array, "--job-name=" + name}, script...)
	out, err := c.run(context.WithoutCancel(ctx), "sbatch", args...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // ID;CLUSTER in a federation
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch: cannot read the job ID in %.200q", out)
	}
	return id, nil
}

// queueFormat are the fields of an Entry for squeue.
const queueFormat = "%F|%K|%T|%N|%j"

// queue returns the tasks of all arrays with the names: waiting and running tasks, and tasks that ended
// a few minutes ago.
func (c *Client) queue(ctx context.Context, names []string) ([]Entry, error) {
	out, err := c.run(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+strings.Join(names, ","), "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	return ParseQueue(out)
}

// ParseQueue reads the output of squeue in queueFormat.
func ParseQueue(out string) ([]Entry, error) {
	const fields = 5
	var list []Entry
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		f := strings.Split(line, "|")
		if line == "" {
			continue
		}
		if len(f) != fields {
			return nil, fmt.Errorf("squeue: cannot read line %q", line)
		}
		index, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("squeue: line %q: %q is not the index of a task", line, f[1])
		}
		list = append(list, Entry{Job: f[0], Index: index, State: f[2], Nodes: f[3], Array: f[4], Exit: -1})
	}
	return list, nil
}

var exitCode = regexp.MustCompile(`\bExitCode=(\d+):0`)

// exit fills in the exit code of a task that has failed and was not ended by a signal. The controller
// knows it for some minutes.
func (c *Client) exit(ctx context.Context, e *Entry) {
	out, err := c.run(ctx, "scontrol", "--oneliner", "show", "job", e.ID())
	if m := exitCode.FindStringSubmatch(out); err == nil && m != nil {
		e.Exit, _ = strconv.Atoi(m[1])
	}
}

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
