// Package slurm submits a list of tasks to Slurm as one job array and follows them. It calls
// Slurm's own commands: sbatch, squeue, and for exit codes scontrol or sacct.
//
// A Grid keeps the list in a folder. A later process can open it and follow the same tasks:
//
//	tasks.txt    one line per task: the arguments of its exp run
//	runs.txt     one line per task: the folder of its run, relative to the folder of runs
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
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/fsx"
)

// Names in a folder of runs. A hidden folder holds no runs.
const (
	folder     = ".slurm"
	tasksFile  = "tasks.txt"
	runsFile   = "runs.txt"
	scriptFile = "job.sh"
	lockFile   = "lock"
	logFolder  = "log"
)

// Grid is a list of tasks.
type Grid struct {
	Dir string // its folder

	last map[int]Entry // the newest that is known of each task
}

// Folder returns the folder of the grid of these runs: its name is the digest of their names, so
// that the same command finds the same grid again.
func Folder(runs string, names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return filepath.Join(runs, folder, hex.EncodeToString(sum[:6]))
}

// Open returns the grid of runs in a folder of runs; names are the folders of the runs relative to
// it, words the arguments of their exp run.
func Open(runs string, names, words []string) (*Grid, error) {
	g := &Grid{Dir: Folder(runs, names), last: map[int]Entry{}}
	for _, w := range slices.Concat(names, words) {
		if strings.ContainsAny(w, "\n\r") {
			return nil, fmt.Errorf("%q has a line break; a list of tasks has one line per task", w)
		}
	}
	if err := g.files().Sub(logFolder).Make(); err != nil {
		return nil, err
	}
	return g, errors.Join(g.write(runsFile, strings.Join(names, "\n")+"\n"), g.write(tasksFile, strings.Join(words, "\n")+"\n"))
}

// WriteScript writes the batch script.
func (g *Grid) WriteScript(text []byte) error { return g.write(scriptFile, string(text)) }

// write leaves a file alone that has this content already: tasks may be reading it.
func (g *Grid) write(name, text string) error {
	if old, err := g.files().ReadFile(name, int64(len(text))); err == nil && string(old) == text {
		return nil
	}
	return g.files().WriteBytes(name, []byte(text))
}

// files is the grid's folder. The folder of runs may be a link, the folders in it may not.
func (g *Grid) files() fsx.Dir {
	return fsx.In(filepath.Dir(filepath.Dir(g.Dir)), folder, filepath.Base(g.Dir))
}

// Name returns the job name of the grid in that folder.
func Name(dir string) string { return "exp-" + filepath.Base(dir) }

// Logs returns the folder of the output of the tasks.
func (g *Grid) Logs() string { return filepath.Join(g.Dir, logFolder) }

// Log returns the file with the output of a task.
func (g *Grid) Log(e *Entry) string {
	return filepath.Join(g.Logs(), fmt.Sprintf("%s_%d.log", e.Job, e.Task))
}

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
			e = Entry{Job: before.Job, Task: i, State: Unknown, Exit: -1}
		case e.Job == before.Job && e.State == before.State:
			e.Exit, e.Signal = before.Exit, before.Signal
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

// listed returns the newest entry of squeue for each task. An entry that is not ended counts more
// than one that is, and entries of earlier submissions do not count. A job counts even if the
// process that submitted it died at once.
func (g *Grid) listed(ctx context.Context, c *Client) (map[int]Entry, error) {
	entries, err := c.queue(ctx, Name(g.Dir))
	out := map[int]Entry{}
	for _, e := range entries {
		old, have := out[e.Task]
		better := !have || old.Ended() && !e.Ended() || old.Ended() == e.Ended() && newer(e.Job, old.Job)
		if better && !(e.Ended() && newer(g.last[e.Task].Job, e.Job)) {
			out[e.Task] = e
		}
	}
	return out, err
}

// Submit submits the tasks that are not in the queue yet. It returns the job ID and the
// submitted tasks. atOnce limits how many run at a time. If another process is submitting tasks
// of the grid, the error is a *fsx.HeldError.
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
	for _, i := range tasks {
		// Another follower may have submitted it since the last look.
		if e, ok := listed[i]; !ok || e.Ended() && !newer(e.Job, g.last[i].Job) {
			submitted = append(submitted, i)
		}
	}
	if len(submitted) == 0 {
		return "", nil, nil
	}
	if job, err = c.submit(ctx, filepath.Join(g.Dir, scriptFile), submitted, atOnce); err != nil {
		return "", nil, err
	}
	for _, i := range submitted {
		g.last[i] = Entry{Job: job, Task: i, State: "PENDING", Exit: -1}
	}
	return job, submitted, nil
}
