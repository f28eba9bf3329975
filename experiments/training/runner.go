// Package training trains runs: the loop (loop.go), which knows no model and no task; the session
// around it, which saves checkpoints, evaluates and ends the run; and the runner, which finds out what
// remains to be done. Measure uses the same loop and keeps no run.
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
	"imdbexp/models"
	"imdbexp/runs"
)

// Runner trains plans.
type Runner struct {
	Dir    string // folder of runs
	Loader *task.Loader
	Pool   *ops.Pool
	Force  bool // train finished runs again

	// Named returns the finished runs of a name. A run that needs another one (attention.base, init)
	// uses the one with its own seed. nil means runs.Match.
	Named func(ref string) ([]*runs.Run, error)

	// CheckpointEvery is the time between checkpoints inside an epoch, besides those at the end of
	// each epoch and at an interruption; 0 means none. It changes no result.
	CheckpointEvery time.Duration
}

// Hooks are called while a run is trained; each may be nil.
type Hooks struct {
	Started func(Started)
	Note    func(string)
	Fit     func(Fit)
	Step    func(Step)
	Epoch   func(runs.Metrics, runs.Timing)
}

// Started describes the run that is about to be trained.
type Started struct {
	Plan    *plan.Plan
	Config  *runs.Config
	Weights int    // number of trained weights
	Beside  int    // number of weights of n-grams if they are fitted already; else Fit has it
	From    int    // whole epochs that are done
	Step    int    // steps of the next epoch that are done
	Origin  string // "", "resumed" or the label of the shorter run that is extended
}

// Outcome is the end of a run.
type Outcome struct {
	Run     *runs.Run
	Skipped bool // it was finished before
}

// Run trains a plan, resumes it, or finds it finished.
func (r *Runner) Run(ctx context.Context, p *plan.Plan, h Hooks) (*Outcome, error) {
	j, err := r.Job(ctx, p)
	if err != nil {
		return nil, err
	}
	return j.Run(ctx, h)
}

// Job is a plan with its data.
type Job struct {
	Runner *Runner
	Plan   *plan.Plan
	Data   *task.Data
	Config runs.Config
	loaded time.Duration // time of opening the data
}

// Job opens the data of a plan and computes the configuration of the run, with its ID. It trains
// nothing.
func (r *Runner) Job(ctx context.Context, p *plan.Plan) (*Job, error) {
	began := time.Now()
	for key, ref := range map[string]string{baseKey: models.PenaltyOf(p.Model).BaseRun(), startKey: p.Run.Init} {
		if _, err := r.cite(p, key, ref); err != nil {
			return nil, err
		}
	}
	d, err := r.Loader.Load(ctx, p.Task(), p.Run)
	if err != nil {
		return nil, err
	}
	c := p.Config(d.Digests)
	c.Classes, c.Data = d.Classes, d.Facts()
	return &Job{r, p, d, c, time.Since(began)}, nil
}

// Done reports whether the run is finished. A diverged run is an error: it would diverge again.
func (j *Job) Done() (bool, error) {
	_, done, err := j.find()
	return done, err
}

// Taken reports whether another process is training the run.
func (j *Job) Taken() bool {
	found, err := runs.Lookup(j.Runner.Dir, &j.Config)
	return err == nil && found.Held() != nil
}

// find returns the existing run, or nil; done says that it is finished.
func (j *Job) find() (found *runs.Run, done bool, err error) {
	if j.Runner.Force {
		return nil, false, nil
	}
	found, err = runs.Lookup(j.Runner.Dir, &j.Config)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if errors.Is(err, fs.ErrPermission) { // --force would delete a run that may be whole
		return nil, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w. If the run is damaged, train it again with --force", err)
	}
	if found.Status.State != runs.Finished || found.Verify() != nil {
		return found, false, DivergedIn(found, j.Plan)
	}
	if err := found.CheckLines(); err != nil {
		return nil, false, fmt.Errorf("%s has finished, but its results cannot be read: %w. Train it again with --force", found.Label(), err)
	}
	return found, true, nil
}

// Run trains the rest of the job.
func (j *Job) Run(ctx context.Context, h Hooks) (*Outcome, error) {
	out, err := j.run(ctx, h)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return j.run(ctx, h)
	}
	return out, err
}

// session prepares the training of the job; the caller sets into.
func (j *Job) session(ctx context.Context, h Hooks) (s *session, err error) {
	r := j.Runner
	s = &session{Runner: r, plan: j.Plan, data: j.Data, hooks: h}
	if s.others, err = r.others(ctx, j.Plan, j.Data); err != nil {
		return nil, err
	}
	s.learner, err = newLearner(j.Plan, j.Data, r.Pool, s.others)
	return s, err
}

// started calls the hook for the start of the training.
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
	defer s.Pool.Until(ctx, 5*time.Second)() // a longer step is lost
	if lost := w.Lost(); lost != nil {
		s.note("%v; continues from the checkpoint before it, after epoch %d", lost, s.at.Epoch)
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
