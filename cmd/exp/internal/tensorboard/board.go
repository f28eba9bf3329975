// Package tensorboard writes event files for TensorBoard beside runs as they train.
package tensorboard

import (
	"errors"
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

// Flag is --tensorboard[=DIR]: whether event files are wanted, and where.
type Flag struct {
	on  bool
	dir string // "" is the folder of runs
}

// besideRuns stands for --tensorboard without a folder.
const besideRuns = "RUNS"

// Register adds the flag.
func (f *Flag) Register(cmd *cobra.Command) {
	cmd.Flags().Var(f, "tensorboard", "also write event files for TensorBoard into the folders of the runs, or with --tensorboard=DIR (one word) to DIR/NAME/ID")
	cmd.Flags().Lookup("tensorboard").NoOptDefVal = besideRuns
}

func (f *Flag) String() string { return f.dir }
func (f *Flag) Type() string   { return "DIR" }
func (f *Flag) Set(dir string) error {
	if dir == "" {
		return errors.New("no folder given")
	}
	f.on, f.dir = true, dir
	if dir == besideRuns {
		f.dir = ""
	}
	return nil
}

// Board writes the event files of runs. They are made from the run folders: what
// a run has committed and its file has not is added. A run that went on from
// before therefore gets a file of all its epochs, each once, and a run that had
// finished gets one, too. Nothing of a run depends on them, so that a failure is a
// warning.
type Board struct {
	runs, dir string
	warn      func(error)

	file   *tfevents.Writer // of the run at work
	run    string           // its folder
	epochs int              // that the file holds
	failed bool
}

// New returns what writes event files, nil where none are wanted.
func New(a *cli.App, f Flag) *Board {
	if !f.on {
		return nil
	}
	b := &Board{runs: a.Runs, dir: f.dir, warn: a.Warn}
	if b.dir == "" {
		b.dir = a.Runs
	}
	a.Say("event files: tensorboard --logdir "+cli.Quoted(b.dir), "", "  ")
	return b
}

// Another returns a board for a further run, which may train at the same time.
func (b *Board) Another() *Board {
	if b == nil {
		return nil
	}
	return &Board{runs: b.runs, dir: b.dir, warn: b.warn}
}

// Hooks lets the board hear what h hears.
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

// Finished writes the file of a run that is not trained any more.
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

// follow adds what the run has committed since the last call. After a failure it
// leaves the run alone.
func (b *Board) follow() {
	if b.failed {
		return
	}
	if err := b.update(); err != nil {
		b.failed = true
		b.warn(fmt.Errorf("no further events for TensorBoard: %w; nothing of the run depends on them, and the same command once more writes them", err))
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
