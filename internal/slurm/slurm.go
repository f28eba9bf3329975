// Package slurm submits runs to Slurm as job arrays and follows them. It calls Slurm's own commands:
// sbatch, squeue, and for exit codes scontrol.
//
// A Grid keeps the runs that were submitted in a folder. A later process can open it and follow the same
// tasks:
//
//	tasks-N.txt  the N-th submission, a line per task: the folder of its run, relative to the folder of
//	             runs, a tab, and the arguments of its exp run
//	job.sh       the batch script of all tasks
//	log/         the output of each task: JOB_TASK.log
//
// The run folders record the progress of a task; squeue reports whether it waits, runs or has ended.
package slurm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"imdbexp/internal/fsx"
)

// Names in a folder of runs. A hidden folder holds no runs.
const (
	folder     = ".slurm"
	scriptFile = "job.sh"
	lockFile   = "lock"
	logFolder  = "log"
)

// Grid is a list of tasks, each a run.
type Grid struct {
	Dir string // its folder

	names, words []string
	submitted    [][]int       // the tasks of each submission
	last         map[int]Entry // the newest that is known of each task
}

// Folder returns the folder of the grid of these runs: its name is the digest of their names, so
// that the same command finds the same grid again.
func Folder(runs string, names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return filepath.Join(runs, folder, hex.EncodeToString(sum[:6]))
}

// Open returns the grid of runs in a folder of runs; names are the folders of the runs relative to
// it, words the arguments of their exp run, quoted for a shell.
func Open(runs string, names, words []string) (*Grid, error) {
	g := &Grid{Dir: Folder(runs, names), names: names, words: words, last: map[int]Entry{}}
	return g, g.files().Sub(logFolder).Make()
}

// WriteScript writes the batch script.
func (g *Grid) WriteScript(text []byte) error { return g.files().WriteBytes(scriptFile, text) }

// files is the grid's folder. The folder of runs may be a link, the folders in it may not.
func (g *Grid) files() fsx.Dir {
	return fsx.In(filepath.Dir(filepath.Dir(g.Dir)), folder, filepath.Base(g.Dir))
}

// tasksFile is the list of tasks of the n-th submission, from 1.
func tasksFile(n int) string { return fmt.Sprintf("tasks-%d.txt", n) }

// arrayName is the job name of the n-th submission.
func (g *Grid) arrayName(n int) string { return fmt.Sprintf("%s-%d", baseName(g.Dir), n) }

// submissions reads the lists of tasks that are new.
func (g *Grid) submissions() error {
	for {
		b, err := g.files().ReadFile(tasksFile(len(g.submitted)+1), 1<<26)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		var tasks []int
		for line := range strings.Lines(string(b)) {
			name, _, _ := strings.Cut(line, "\t")
			tasks = append(tasks, slices.Index(g.names, name))
		}
		g.submitted = append(g.submitted, tasks)
	}
}

// baseName returns how the job names of the grid in that folder begin.
func baseName(dir string) string { return "exp-" + filepath.Base(dir) }

// Logs returns the folder of the output of the tasks.
func (g *Grid) Logs() string { return filepath.Join(g.Dir, logFolder) }

// Log returns the file with the output of a task.
func (g *Grid) Log(e *Entry) string { return filepath.Join(g.Logs(), e.ID()+".log") }

// Look asks Slurm about tasks. A task that was never submitted is not in the result. After an
// error nothing is known: a controller that does not answer has not ended a job.
func (g *Grid) Look(ctx context.Context, c *Client, tasks []int) (map[int]Entry, error) {
	listed, err := g.listed(ctx, c)
	if err != nil {
		return nil, err
	}
	found := map[int]Entry{}
	for _, i := range tasks {
		before, known := g.last[i]
		e, ok := listed[i]
		switch {
		case !ok && !known:
			continue
		case !ok && before.Ended(): // Slurm has forgotten it
			e = before
		case !ok:
			e = Entry{Job: before.Job, Index: before.Index, State: Unknown, Exit: -1}
		case e.Job == before.Job && e.State == before.State:
			e.Exit = before.Exit
		case e.State == failed:
			c.exit(ctx, &e)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.last[i], found[i] = e, e
	}
	return found, nil
}

// listed returns the newest entry of squeue for each task, preferably one that is not ended. A job
// counts even if the process that submitted it died at once.
func (g *Grid) listed(ctx context.Context, c *Client) (map[int]Entry, error) {
	out := map[int]Entry{}
	if err := g.submissions(); err != nil || len(g.submitted) == 0 {
		return out, err
	}
	of := map[string][]int{}
	var names []string
	for i, tasks := range g.submitted {
		names = append(names, g.arrayName(i+1))
		of[names[i]] = tasks
	}
	entries, err := c.queue(ctx, names)
	for _, e := range entries {
		tasks := of[e.Array]
		if e.Index >= len(tasks) || tasks[e.Index] < 0 {
			continue
		}
		i := tasks[e.Index]
		old, have := out[i]
		better := !have || old.Ended() && !e.Ended() || old.Ended() == e.Ended() && newer(e.Job, old.Job)
		if better && !(e.Ended() && newer(g.last[i].Job, e.Job)) {
			out[i] = e
		}
	}
	return out, err
}

// Submit submits the tasks that are not in the queue yet, as an array whose indices begin at 0. It
// returns the job ID and the submitted tasks. While another process submits tasks of the grid, the error
// is a *fsx.HeldError.
func (g *Grid) Submit(ctx context.Context, c *Client, tasks []int, atOnce int) (job string, submitted []int, err error) {
	if len(tasks) == 0 {
		return "", nil, nil
	}
	lock, err := g.files().Acquire(lockFile)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	listed, err := g.listed(ctx, c)
	if err != nil {
		return "", nil, err
	}
	var lines strings.Builder
	for _, i := range tasks {
		// Another follower may have submitted it since the last look.
		if e, ok := listed[i]; !ok || e.Ended() && !newer(e.Job, g.last[i].Job) {
			submitted = append(submitted, i)
			fmt.Fprintf(&lines, "%s\t%s\n", g.names[i], g.words[i])
		}
	}
	if len(submitted) == 0 {
		return "", nil, nil
	}
	n := len(g.submitted) + 1
	if err := g.files().WriteBytes(tasksFile(n), []byte(lines.String())); err != nil {
		return "", nil, err
	}
	g.submitted = append(g.submitted, submitted)
	if job, err = c.submit(ctx, g.arrayName(n), len(submitted), atOnce, filepath.Join(g.Dir, scriptFile), tasksFile(n)); err != nil {
		return "", nil, err
	}
	for at, i := range submitted {
		g.last[i] = Entry{Job: job, Index: at, State: "PENDING", Exit: -1}
	}
	return job, submitted, nil
}

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
	var list []Entry
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		f := strings.Split(line, "|")
		if line == "" {
			continue
		}
		if len(f) != 5 {
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
