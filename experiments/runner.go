package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// ResultVersion goes into every run's ID. It is raised whenever the goldens change
// and no digest of data or vectors in the ID says so already, so that old results
// are never taken for new ones.
const ResultVersion = 1

// Runner carries out plans.
type Runner struct {
	Dir    string // where run folders go
	Loader *Loader
	Pool   *ops.Pool
	Force  bool // train again what has finished

	// CheckpointEvery is how often a checkpoint is kept inside an epoch, besides
	// those at the end of each and at an interruption; 0 for never. It changes no
	// result.
	CheckpointEvery time.Duration
}

// Hooks hear about a run as it goes; each may be nil.
type Hooks struct {
	Started func(Started)
	Note    func(string)
	Step    func(Step)
	Epoch   func(runs.Metrics, runs.Timing)
}

// Started tells what is about to be trained.
type Started struct {
	Plan    *Plan
	Config  *runs.Config
	Weights int    // trained numbers
	From    int    // whole epochs that are there already
	Step    int    // steps of the epoch after them that are there, too
	Origin  string // "", "resumed" or the label of the shorter run that it extends
}

// Outcome is how a run ended.
type Outcome struct {
	Run     *runs.Run
	Skipped bool // it had finished before
}

// Describe opens the data of a plan and returns the run's configuration, and so
// its ID, without training anything.
func (r *Runner) Describe(ctx context.Context, p *Plan) (runs.Config, *Data, error) {
	d, err := r.Loader.Load(ctx, p.Run)
	if err != nil {
		return runs.Config{}, nil, err
	}
	c := runs.NewConfig(p.Experiment.Name, p.Experiment.Model, ResultVersion, p.Set, d.Digests)
	p.origins(&c)
	c.Variant, c.Classes, c.Data, c.Published = p.Run.Variant, d.Classes, d.facts(), p.Published
	return c, d, nil
}

// Run trains one plan, or goes on with it, or finds it done.
func (r *Runner) Run(ctx context.Context, p *Plan, h Hooks) (*Outcome, error) {
	c, d, err := r.Describe(ctx, p)
	if err != nil {
		return nil, err
	}
	found, err := runs.Lookup(r.Dir, &c)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !r.Force {
		return nil, err
	}
	if found != nil && !r.Force {
		switch found.Status.State {
		case runs.Finished:
			if found.Verify() == nil {
				return &Outcome{found, true}, nil
			}
		case runs.Diverged:
			return nil, diverged(p, found.Status.Message, found.Status.Epoch)
		}
	}
	t, err := newTrainer(p, d, r.Pool)
	if err != nil {
		return nil, err
	}
	defer t.close()
	w, from, origin, err := r.open(c, d, found, t)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if h.Started != nil {
		h.Started(Started{p, &c, t.count(), from.Epoch, from.Step, origin})
	}
	if lost := w.Lost(); lost != nil && h.Note != nil {
		h.Note(fmt.Sprintf("%v; goes on from the checkpoint before it, after epoch %d", lost, from.Epoch))
	}
	s := &session{Runner: r, plan: p, data: d, trainer: t, writer: w, hooks: h, at: *from, inside: inside{every: r.CheckpointEvery}}
	if from.Step > 0 {
		sum, err := tallyOf(from, min(from.Step*p.Run.Batch, t.passLength()))
		if err != nil {
			return nil, err
		}
		s.sum = *sum
	}
	if err := s.train(ctx); err != nil {
		var dv *divergedError
		if errors.As(err, &dv) {
			return nil, errors.Join(diverged(p, dv.Error(), s.at.Epoch), w.Diverged(dv.Error()))
		}
		return nil, err
	}
	if err := s.finish(ctx); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	done, err := runs.Lookup(r.Dir, &c)
	return &Outcome{Run: done}, err
}

// open makes the run's folder, or opens the one there is, and brings the
// trainer to where it stands.
func (r *Runner) open(c runs.Config, d *Data, found *runs.Run, t *trainer) (w *runs.Writer, from *runs.Checkpoint, origin string, err error) {
	env := runs.NewEnvironment(simd.Current().String(), r.Pool.Workers(), d.Digests)
	c.Table, err = runs.PutTable(r.Dir, &runs.Table{Words: d.Table.Words, Rows: d.Table.Rows, Dim: d.Table.Dim, OOV: dataset.OOVRow})
	if err != nil {
		return nil, nil, "", err
	}
	switch {
	case r.Force:
		w, err = runs.Replace(r.Dir, c, env)
	case found != nil:
		w, from, err = runs.Resume(found, env)
		origin = "resumed"
		if _, damaged := errors.AsType[*runs.DamagedError](err); damaged {
			err = fmt.Errorf("%s cannot go on: %w. Train it again with --force", found.Label(), err)
		}
	default:
		var shorter *runs.Run
		if shorter, err = runs.Shorter(r.Dir, &c); shorter != nil {
			w, from, err = runs.Extend(r.Dir, c, env, shorter)
			origin = shorter.Label()
		} else {
			w, err = runs.Create(r.Dir, c, env) // folders that cannot be read are not in the way
		}
	}
	if err != nil {
		return nil, nil, "", err
	}
	if from == nil {
		return w, &runs.Checkpoint{}, "", nil
	}
	if err := t.resume(from); err != nil {
		return nil, nil, "", errors.Join(err, w.Close())
	}
	return w, from, origin, nil
}
