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
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"imdbexp/internal/fsx"
	"imdbexp/internal/yamltext"
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

	// Command runs a command of Slurm and returns its standard output. Tests replace it.
	Command func(ctx context.Context, name string, args ...string) (string, error)

	names, words []string
	submitted    [][]int           // the tasks of each submission
	jobs         map[string]string // the job ID of each submission, by the array's name, if it is known
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
	g := &Grid{Dir: Folder(runs, names), Command: command, names: names, words: words, jobs: map[string]string{}}
	return g, g.files().Sub(logFolder).Make()
}

// WriteScript writes the batch script.
func (g *Grid) WriteScript(text []byte) error { return g.files().WriteBytes(scriptFile, text) }

// files is the grid's folder. The folder of runs may be a link, the folders in it may not.
func (g *Grid) files() fsx.Dir {
	return fsx.In(filepath.Dir(filepath.Dir(g.Dir)), folder, filepath.Base(g.Dir))
}

// tasksFile returns the file name of the tasks of the n-th submission, from 1, and arrayName its job name.
func tasksFile(n int) string { return fmt.Sprintf("tasks-%d.txt", n) }

func (g *Grid) arrayName(n int) string { return fmt.Sprintf("exp-%s-%d", filepath.Base(g.Dir), n) }

// submissions reads new lists of tasks.
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

// Logs returns the folder of the output of the tasks.
func (g *Grid) Logs() string { return filepath.Join(g.Dir, logFolder) }

// Log returns the file with the output of a task.
func (g *Grid) Log(e *Entry) string { return filepath.Join(g.Logs(), e.ID()+".log") }

// queueFormat are the fields of an Entry for squeue.
const queueFormat = "%F|%K|%T|%N|%j"

// Status asks Slurm about the tasks. It returns the record of each by its newest submission, preferably one that has
// not ended. A job counts even if the process that submitted it died at once. A task that was never submitted is
// not in the result. After an error nothing is known: a controller that does not answer has not ended a job.
func (g *Grid) Status(ctx context.Context) (map[int]*Entry, error) {
	if err := g.submissions(); err != nil || len(g.submitted) == 0 {
		return nil, err
	}
	var names []string
	for n := range g.submitted {
		names = append(names, g.arrayName(n+1))
	}
	out, err := g.Command(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+strings.Join(names, ","), "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	listed, err := parseQueue(out)
	if err != nil {
		return nil, err
	}
	found := map[int]*Entry{}
	put := func(tasks []int, e *Entry) {
		if i := tasks[e.Index]; i >= 0 && !(e.Ended() && found[i] != nil && !found[i].Ended()) {
			found[i] = e
		}
	}
	for n, tasks := range g.submitted {
		for at := range tasks {
			if job := g.jobs[names[n]]; job != "" { // Slurm has forgotten it, if it is not listed
				put(tasks, &Entry{Job: job, Index: at, State: Unknown, Exit: -1})
			}
		}
		for _, e := range listed {
			if e.Array == names[n] && e.Index < len(tasks) {
				g.jobs[e.Array] = e.Job
				put(tasks, e)
			}
		}
	}
	return found, nil
}

// Submit submits the tasks that are not in the queue yet, as an array whose indices begin at 0; atOnce limits how
// many run at a time (0: no limit). It returns the job ID and the submitted tasks, without those that another
// process has submitted since the last Status. While another process submits tasks of the grid, the error is a
// *fsx.HeldError.
func (g *Grid) Submit(ctx context.Context, tasks []int, atOnce int) (job string, submitted []int, err error) {
	if len(tasks) == 0 {
		return "", nil, nil
	}
	lock, err := g.files().Acquire(lockFile)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	seen := len(g.submitted)
	found, err := g.Status(ctx)
	if err != nil {
		return "", nil, err
	}
	others := slices.Concat(g.submitted[seen:]...)
	var lines strings.Builder
	for _, i := range tasks {
		if e := found[i]; (e == nil || e.Ended()) && !slices.Contains(others, i) {
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
	array := fmt.Sprintf("0-%d", len(submitted)-1)
	if atOnce > 0 {
		array += fmt.Sprintf("%%%d", atOnce)
	}
	// Cancelling sbatch could lose the ID of a job that is already submitted.
	out, err := g.Command(context.WithoutCancel(ctx), "sbatch", "--parsable", "--array="+array, "--job-name="+g.arrayName(n),
		filepath.Join(g.Dir, scriptFile), tasksFile(n))
	if err != nil {
		return "", nil, err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // ID;CLUSTER in a federation
	if _, err := strconv.Atoi(job); err != nil {
		return "", nil, fmt.Errorf("sbatch: cannot read the job ID in %.200q", out)
	}
	g.jobs[g.arrayName(n)] = job
	return job, submitted, nil
}

// commandLimit is the time that a command may take: a busy controller answers late.
const commandLimit = time.Minute

func command(ctx context.Context, name string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	var out, errOut bytes.Buffer
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("%s is not installed on this machine: use --on slurm on a machine that has sbatch", name)
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
	case err != nil:
		return "", fmt.Errorf("%s: %w %s", name, err, strings.Join(strings.Fields(errOut.String()), " "))
	}
	return out.String(), nil
}

// parseQueue reads the output of squeue in queueFormat.
func parseQueue(out string) ([]*Entry, error) {
	var list []*Entry
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		e, f := Entry{Exit: -1}, strings.Split(line, "|")
		var err error
		if len(f) == 5 {
			e.Job, e.State, e.Nodes, e.Array = f[0], f[2], f[3], f[4]
			e.Index, err = strconv.Atoi(f[1])
		}
		if len(f) != 5 || err != nil || e.Index < 0 {
			return nil, fmt.Errorf("squeue: cannot read line %q", line)
		}
		list = append(list, &e)
	}
	return list, nil
}

var exitCode = regexp.MustCompile(`\bExitCode=(\d+):0`)

// Exit fills in the exit code of a task that has failed and was not ended by a signal. The controller
// knows it for some minutes.
func (g *Grid) Exit(ctx context.Context, e *Entry) {
	if e.State != failed {
		return
	}
	out, err := g.Command(ctx, "scontrol", "--oneliner", "show", "job", e.ID())
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
	Exit  int // exit code of a task that has failed, by Grid.Exit; -1 if it is unknown, or ended by a signal
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
	"OUT_OF_MEMORY": "out of memory: ask for more, such as --mem=4G in slurm.yaml",
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
	case e.State == failed && e.Exit == exitTooShort:
		return "it reached its time limit before the first checkpoint: ask for more, such as --time=2:00:00 in slurm.yaml"
	case e.State == failed && e.Exit == exitStopped:
		return "stopped after a checkpoint"
	case e.State == failed && e.Exit > 0:
		return fmt.Sprintf("exit code %d", e.Exit)
	}
	return ends[e.State]
}

// Options are the settings in slurm.yaml: those that exp itself uses, and options for sbatch. They do not change
// results.
type Options struct {
	CPUs   int           `yaml:"cpus"`    // cores of a task
	AtOnce int           `yaml:"at-once"` // tasks that may run at a time; 0: no limit
	Margin int           `yaml:"margin"`  // seconds before the time limit at which a task stops
	Poll   time.Duration `yaml:"poll"`    // between two checks of the runs
	Exp    string        `yaml:"exp"`     // the program on the nodes; "": this one
	Setup  []string      `yaml:"setup"`   // lines of bash before each task: module load …
	Sbatch []string      `yaml:"options"` // options of sbatch: --time=2:00:00
}

// ParseOptions reads a slurm.yaml, "" for the defaults. An error names the line.
func ParseOptions(file string, b []byte) (Options, error) {
	o := Options{CPUs: 1, Margin: 60, Poll: 10 * time.Second}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&o); err != nil && !errors.Is(err, io.EOF) { // io.EOF: nothing but comments
		return o, fmt.Errorf("%w; options of sbatch are a list: options: [--time=2:00:00, --mem=4G]", yamltext.Error(file, b, err))
	}
	if o.CPUs < 1 || o.AtOnce < 0 || o.Margin < 0 || o.Poll < time.Millisecond {
		return o, fmt.Errorf("%s: cpus and poll must be positive, at-once and margin not negative", file)
	}
	return o, nil
}

//go:embed job.sh.tmpl
var jobTemplate string

var job = template.Must(template.New("job.sh").Funcs(template.FuncMap{"quote": quote}).Parse(jobTemplate))

// Script has the values of a batch script. All paths are absolute, and the same on every node.
type Script struct {
	Options
	Dir  string // folder of the grid
	Runs string // folder of runs
	Data string // data folder

	Every time.Duration // between checkpoints in an epoch; 0 for none
}

// Text returns the script.
func (s Script) Text() ([]byte, error) {
	directives := append([]string{
		// Slurm unquotes a name in quotes; %A is the array, %a the task.
		`--output="` + strings.ReplaceAll(filepath.Join(s.Dir, logFolder), "%", "%%") + `/%A_%a.log"`,
		"--open-mode=append", // a requeued task continues its log
		"--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", s.Margin),
		"--ntasks=1",
		fmt.Sprintf("--cpus-per-task=%d", s.CPUs),
	}, s.Sbatch...)
	var out bytes.Buffer
	err := job.Execute(&out, struct {
		Script
		Directives        []string
		Stopped, TooShort int
	}{s, directives, exitStopped, exitTooShort})
	return out.Bytes(), err
}

func quote(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }
