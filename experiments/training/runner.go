// Package training answers how a run is trained: the loop (loop.go), which knows no model
// and no task; the session around it, which keeps checkpoints, evaluates and ends the
// run; and the runner, which finds out what is left to do. What tries a model without
// keeping a run of it (Speed, FindLR, Overfit) uses the same loop.
package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Runner carries out plans.
type Runner struct {
	Dir    string // where run folders go
	Loader *task.Loader
	Pool   *ops.Pool
	Force  bool // train again what has finished

	// Named returns the finished runs that a name means, of which a run that needs another
	// one (attention.base) takes that of its own seed; nil for runs.Match.
	Named func(ref string) ([]*runs.Run, error)

	// CheckpointEvery is how often a checkpoint is kept inside an epoch, besides
	// those at the end of each and at an interruption; 0 for never. It changes no
	// result.
	CheckpointEvery time.Duration
}

// Hooks hear about a run as it goes; each may be nil.
type Hooks struct {
	Started func(Started)
	Note    func(string)
	Fit     func(Fit)
	Step    func(Step)
	Epoch   func(runs.Metrics, runs.Timing)
}

// Started tells what is about to be trained.
type Started struct {
	Plan    *plan.Plan
	Config  *runs.Config
	Weights int    // trained numbers
	Beside  int    // weights of n-grams beside them, where they are there already: Fit tells of others
	From    int    // whole epochs that are there already
	Step    int    // steps of the epoch after them that are there, too
	Origin  string // "", "resumed" or the label of the shorter run that it extends
}

// Outcome is how a run ended.
type Outcome struct {
	Run     *runs.Run
	Skipped bool // it had finished before
}

// Run trains one plan, or goes on with it, or finds it done.
func (r *Runner) Run(ctx context.Context, p *plan.Plan, h Hooks) (*Outcome, error) {
	j, err := r.Job(ctx, p)
	if err != nil {
		return nil, err
	}
	return j.Run(ctx, h)
}

// Job is a plan whose data is open.
type Job struct {
	Runner *Runner
	Plan   *plan.Plan
	Data   *task.Data
	Config runs.Config
	loaded time.Duration // which opening the data took
}

// Job opens the data of a plan and finds out the run's configuration, and so its ID. It
// trains nothing.
func (r *Runner) Job(ctx context.Context, p *plan.Plan) (*Job, error) {
	began := time.Now()
	if _, err := r.cite(p); err != nil {
		return nil, err
	}
	d, err := r.Loader.Load(ctx, p.Task(), p.Run)
	if err != nil {
		return nil, err
	}
	c := p.Config(d.Digests)
	c.Classes, c.Data = d.Classes, d.Facts()
	return &Job{r, p, d, c, time.Since(began)}, nil
}

// Done reports whether nothing is left to train. A run that has diverged is an error:
// it would do so again.
func (j *Job) Done() (bool, error) {
	_, done, err := j.find()
	return done, err
}

// Taken reports whether another process is training the run.
func (j *Job) Taken() bool {
	found, err := runs.Lookup(j.Runner.Dir, &j.Config)
	return err == nil && found.Held() != nil
}

// find looks for what there is of a run, nil where that is nothing; done says that
// nothing is left to do.
func (j *Job) find() (found *runs.Run, done bool, err error) {
	if j.Runner.Force {
		return nil, false, nil
	}
	found, err = runs.Lookup(j.Runner.Dir, &j.Config)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if errors.Is(err, fs.ErrPermission) { // --force would throw away what may be whole
		return nil, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w. Where that is damage, --force trains the run anew", err)
	}
	if found.Status.State != runs.Finished || found.Verify() != nil {
		return found, false, DivergedIn(found, j.Plan)
	}
	if err := found.CheckLines(); err != nil {
		return nil, false, fmt.Errorf("%s has finished, but what it came to cannot be read: %w. Train it again with --force", found.Label(), err)
	}
	return found, true, nil
}

// Run trains what is left of the job.
func (j *Job) Run(ctx context.Context, h Hooks) (*Outcome, error) {
	out, err := j.run(ctx, h)
	if runs.Overtaken(err) { // before anything was trained here
		return j.run(ctx, h)
	}
	return out, err
}

// session readies what trains the job; into what is for the caller to say.
func (j *Job) session(ctx context.Context, h Hooks) (s *session, err error) {
	r := j.Runner
	s = &session{Runner: r, plan: j.Plan, data: j.Data, hooks: h, midEpoch: midEpoch{every: r.CheckpointEvery}}
	if s.base, err = r.base(ctx, j.Plan, j.Data); err != nil {
		return nil, err
	}
	s.learner, err = newLearner(j.Plan, j.Data, r.Pool, s.base)
	return s, err
}

// started says what is about to be trained.
func (s *session) started(c *runs.Config, origin string) {
	if s.hooks.Started != nil {
		own, beside := s.learner.count()
		s.hooks.Started(Started{s.plan, c, own, beside, s.at.Epoch, s.at.Step, origin})
	}
}

func (j *Job) run(ctx context.Context, h Hooks) (*Outcome, error) {
	began := time.Now()
	found, done, err := j.find()
	if err != nil {
		return nil, err
	}
	if done {
		return &Outcome{found, true}, nil
	}
	s, err := j.session(ctx, h)
	if err != nil {
		return nil, err
	}
	defer func() { s.close() }()
	origin, err := s.open(j.Config, found)
	if err != nil {
		return nil, err
	}
	w := s.writer
	defer w.Close()
	ended := sync.OnceFunc(func() { s.took(origin, j.loaded+time.Since(began)) })
	defer ended()
	s.started(&j.Config, origin)
	if lost := w.Lost(); lost != nil {
		s.note("%v; goes on from the checkpoint before it, after epoch %d", lost, s.at.Epoch)
	}
	if err := s.train(ctx); err != nil {
		if d, ok := errors.AsType[*DivergedError](err); ok {
			return nil, errors.Join(diverged(j.Plan, d.Message, s.at.Epoch), w.Diverged(d.Message))
		}
		return nil, err
	}
	if err := s.finish(ctx); err != nil {
		return nil, err
	}
	ended()
	if err := w.Close(); err != nil {
		return nil, err
	}
	out, err := runs.Lookup(j.Runner.Dir, &j.Config)
	return &Outcome{Run: out}, err
}
