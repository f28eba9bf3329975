package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"imdbexp/internal/fsx"
)

// Submit submits those of the tasks, by their indices, that are not in the queue by
// now, and returns the job's ID and which they were; none is no error. Of two
// processes that do so at the same time the second gets a fsx.HeldError.
func (g *Grid) Submit(ctx context.Context, c *Client, indices []int, atOnce int) (job string, submitted []int, err error) {
	if len(indices) == 0 {
		return "", nil, nil
	}
	release, err := g.lock()
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	entries, err := c.Queue(ctx, g.Name())
	if err != nil {
		return "", nil, err
	}
	listed := g.newest(entries)
	submitted = slices.DeleteFunc(slices.Clone(indices), func(i int) bool {
		e, ok := listed[i]
		return ok && !e.State.Ended()
	})
	if len(submitted) == 0 {
		return "", nil, nil
	}
	job, err = c.Submit(ctx, g.script(), submitted, atOnce)
	if err != nil {
		return "", nil, err
	}
	err = g.add(Job{job, FormatIndices(submitted), time.Now().UTC().Truncate(time.Second)})
	if err := errors.Join(err, g.write(jobsFile, g.jobs)); err != nil {
		return "", nil, fmt.Errorf("job %s is submitted, but this cannot be written down: %w", job, err)
	}
	return job, submitted, nil
}

// lock keeps other processes from submitting, and loads what they have done before.
func (g *Grid) lock() (release func() error, err error) {
	l, err := g.files().Acquire(lockFile)
	if err != nil {
		return nil, err
	}
	if err := g.Load(); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l.Release, nil
}

// KeepProgram copies a program into the grid's folder, where Program finds it. A copy
// that is there and the same stays as it is: tasks may be running it.
func (g *Grid) KeepProgram(path string) error {
	to := Program(g.Dir)
	if err := g.files().Plain(filepath.Base(to)); err != nil {
		return err
	}
	if same, err := alike(path, to); same || err != nil {
		return err
	}
	return fsx.CopyFile(path, to)
}

// alike reports whether there is a file b that is like a, and may be run if a may.
func alike(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	of, err1 := os.Stat(a)
	is, err2 := os.Stat(b)
	y, err3 := os.ReadFile(b)
	return errors.Join(err1, err2, err3) == nil && of.Mode() == is.Mode() && bytes.Equal(x, y), nil
}

// Program is where KeepProgram puts a program in the folder of a grid.
func Program(dir string) string { return filepath.Join(dir, "exp") }
