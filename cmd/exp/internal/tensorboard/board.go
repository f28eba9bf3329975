// Package tensorboard writes event files for TensorBoard while runs are trained.
package tensorboard

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/training"
	"imdbexp/internal/fsx"
	"imdbexp/internal/tfevents"
	"imdbexp/runs"
)

// Flag is --tensorboard[=DIR]: the folder, or "" without the flag.
type Flag string

// inRuns is the value of --tensorboard without a folder.
const inRuns = "RUNS"

// Register adds the flag.
func (f *Flag) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "tensorboard", "", "write event files for TensorBoard into the run folders, or with --tensorboard=`DIR` to DIR/NAME/ID")
	cmd.Flags().Lookup("tensorboard").NoOptDefVal = inRuns
}

// Board writes the event files of runs. It adds the epochs that a run folder has and the event file
// does not. So a resumed run has each epoch once in its file, and a finished run gets a file, too. No
// run depends on the files: a failure is only a warning.
type Board struct {
	runs, dir string
	warn      func(error)

	file   *tfevents.Writer // of the current run
	run    string           // its folder
	epochs int              // in the file
	failed bool
}

// New returns a board, or nil without the flag.
func New(a *cli.App, f Flag) *Board {
	if f == "" {
		return nil
	}
	b := &Board{runs: a.Runs, dir: string(f), warn: a.Warn}
	if f == inRuns {
		b.dir = a.Runs
	}
	a.Say("event files: tensorboard --logdir "+cli.Quoted(b.dir), "", "  ")
	return b
}

// Another returns a board for another run, which may be trained at the same time.
func (b *Board) Another() *Board {
	if b == nil {
		return nil
	}
	return &Board{runs: b.runs, dir: b.dir, warn: b.warn}
}

// Hooks returns hooks that also update the board.
func (b *Board) Hooks(h training.Hooks) training.Hooks {
	if b == nil {
		return h
	}
	started, ended := h.Started, h.Epoch
	h.Started = func(s training.Started) {
		started(s)
		b.begin(runs.Folder(b.runs, s.Config))
	}
	h.Epoch = func(m runs.Metrics, t runs.Timing) {
		ended(m, t)
		b.follow()
	}
	return h
}

// Finished writes the file of a finished run.
func (b *Board) Finished(run *runs.Run) {
	if b != nil {
		b.begin(run.Path)
	}
}

// begin starts the file of the run in that folder.
func (b *Board) begin(path string) {
	b.file, b.run, b.epochs, b.failed = nil, path, 0, false
	b.follow()
}

// follow adds the epochs since the last call. After a failure it does nothing.
func (b *Board) follow() {
	if b.failed {
		return
	}
	if err := b.update(); err != nil {
		b.failed = true
		b.warn(fmt.Errorf("no further events for TensorBoard: %w; the run is not affected, and the same command writes them later", err))
	}
}

func (b *Board) update() error {
	run, err := runs.Open(b.run)
	if err != nil {
		return err
	}
	events, last, err := eventsOf(run, b.epochs)
	if err != nil {
		return err
	}
	if b.file == nil {
		rel, err := filepath.Rel(b.runs, b.run)
		if err != nil {
			return err
		}
		b.file, err = tfevents.Create(fsx.In(b.dir, strings.Split(filepath.ToSlash(rel), "/")...), time.Now(), events...)
		if err != nil {
			return err
		}
	} else if err := b.file.Append(events...); err != nil {
		return err
	}
	b.epochs = last
	return nil
}
