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
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

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
