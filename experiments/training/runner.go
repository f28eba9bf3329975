package experiments

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"imdbexp/internal/ops"
	"imdbexp/runs"
)

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
	d, err := r.Loader.Load(ctx, p)
	if err != nil {
		return runs.Config{}, nil, err
	}
	c := runs.NewConfig(p.Experiment.Name, p.Experiment.Model, p.resultVersion(), p.Set, d.Digests)
	p.origins(&c)
	c.Variant, c.Classes, c.Data, c.Published = p.Run.Variant, d.Classes, d.facts(), p.Published
	return c, d, nil
}

// Run trains one plan, or goes on with it, or finds it done.
func (r *Runner) Run(ctx context.Context, p *Plan, h Hooks) (*Outcome, error) {
	k, err := r.ready(ctx, p)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, k, h)
}

// task is a plan whose data is open.
type task struct {
	plan   *Plan
	config runs.Config
	data   *Data
}

// ready opens the data of a plan.
func (r *Runner) ready(ctx context.Context, p *Plan) (*task, error) {
	c, d, err := r.Describe(ctx, p)
	if err != nil {
		return nil, err
	}
	return &task{p, c, d}, nil
}

// find looks for what there is of a run, nil where that is nothing; done says that
// nothing is left to do. A run that has diverged is an error: it would do so again.
func (r *Runner) find(k *task) (found *runs.Run, done bool, err error) {
	if r.Force {
		return nil, false, nil
	}
	found, err = runs.Lookup(r.Dir, &k.config)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return found, found.Status.State == runs.Finished && found.Verify() == nil, DivergedIn(found, k.plan)
}

// run carries out a plan whose data is open.
func (r *Runner) run(ctx context.Context, k *task, h Hooks) (*Outcome, error) {
	found, done, err := r.find(k)
	if err != nil {
		return nil, err
	}
	if done {
		return &Outcome{found, true}, nil
	}
	s := &session{Runner: r, plan: k.plan, data: k.data, hooks: h, inside: inside{every: r.CheckpointEvery}}
	if s.trainer, err = newTrainer(k.plan, k.data, r.Pool); err != nil {
		return nil, err
	}
	defer func() { s.trainer.close() }()
	origin, err := s.open(k.config, found)
	if err != nil {
		return nil, err
	}
	w := s.writer
	defer w.Close()
	if h.Started != nil {
		h.Started(Started{k.plan, &k.config, s.trainer.count(), s.at.Epoch, s.at.Step, origin})
	}
	if lost := w.Lost(); lost != nil {
		s.note("%v; goes on from the checkpoint before it, after epoch %d", lost, s.at.Epoch)
	}
	if err := s.train(ctx); err != nil {
		var dv *divergedError
		if errors.As(err, &dv) {
			return nil, errors.Join(diverged(k.plan, dv.Error(), s.at.Epoch), w.Diverged(dv.Error()))
		}
		return nil, err
	}
	if err := s.finish(ctx); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	out, err := runs.Lookup(r.Dir, &k.config)
	return &Outcome{Run: out}, err
}
