// Package training trains runs: the loop (loop.go), which knows no model and no task; the session
// around it, which saves checkpoints, evaluates and ends the run; and the runner, which finds out what
// remains to be done. Measure uses the same loop and keeps no run.
package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
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

	// Named returns the finished runs that ref names. A run that needs another one (attention.base, init)
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
	NGrams  int    // number of n-gram weights, if they are fitted already; else Fit has it
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

// session prepares the training of the job. The caller sets s.into.
func (j *Job) session(ctx context.Context, h Hooks) (s *session, err error) {
	r := j.Runner
	s = &session{Runner: r, plan: j.Plan, config: &j.Config, data: j.Data, hooks: h}
	if s.others, err = r.others(ctx, j.Plan, j.Data); err != nil {
		return nil, err
	}
	if m, counts := j.Plan.Model.(models.Counting); counts {
		s.learner, err = newLinear(j.Plan, j.Data, m.Counts(), r.Pool)
	} else {
		s.learner, err = newTrainer(j.Plan, j.Data, r.Pool, s.others)
	}
	return s, err
}

// started calls the hook for the start of the training.
func (s *session) started(c *runs.Config, origin string) {
	if s.hooks.Started != nil {
		own, ngrams := s.learner.count()
		s.hooks.Started(Started{s.plan, c, own, ngrams, s.at.Epoch, s.at.Step, origin})
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
	defer s.Pool.Until(ctx, 5*time.Second)() // a longer step is aborted
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

// DivergedError is the error of a run whose loss or gradient is not finite, or whose loss is above
// maxLoss.
type DivergedError struct {
	Message string // the epoch, step and loss

	Name, Advice string // "" for training that keeps no run
	Good         int    // last whole epoch, 0 for none
}

func (e *DivergedError) Error() string {
	good := "No epoch was completed"
	switch {
	case e.Name == "":
		return e.Message
	case e.Good > 0:
		good = fmt.Sprintf("Last good checkpoint: epoch %d", e.Good)
	}
	return fmt.Sprintf("%s %s. %s. Try %s", e.Name, e.Message, good, e.Advice)
}

// maxLoss is the mean loss, in nats, above which a run has diverged. The logits are then so large that
// neighbouring float32 numbers differ by 64.
const maxLoss = 1e9

// exploded reports whether the loss is that of a diverged run.
func exploded(loss float64) bool { return !finite(loss) || loss > maxLoss }

func divergedAt(epoch, step int, loss, norm float64) error {
	return &DivergedError{Message: fmt.Sprintf("diverged at epoch %d, step %d (loss %s, gradient norm %s)", epoch, step, short(loss), short(norm))}
}

// check returns an error if the loss of an evaluation has exploded, which the last step of the epoch
// may have caused.
func check(epoch int, train, seen *sums) error {
	if loss := seen.meanLoss(); exploded(loss) {
		return divergedAt(epoch, train.steps, loss, train.norm/float64(train.steps))
	}
	return nil
}

// DivergedIn returns the DivergedError of a kept run of a plan; nil if the run has not diverged.
func DivergedIn(kept *runs.Run, p *plan.Plan) error {
	if kept.Status.State != runs.Diverged {
		return nil
	}
	return diverged(p, kept.Status.Message, kept.Status.Epoch)
}

// diverged returns the error with advice: the experiment's own learning rate, or a tenth of it, and clipping.
func diverged(p *plan.Plan, message string, good int) error {
	own, _ := p.Preset("lr")
	advice := "its own lr=" + own
	if now, _ := p.Set.Get("lr"); now.Value == own {
		advice = "lr=" + short(p.Run.LR/10)
	}
	if p.Run.Clip == 0 {
		advice += " or clip=1"
	}
	return &DivergedError{Message: message, Name: p.Experiment.Name, Advice: advice, Good: good}
}

// short writes three digits, and 4e9 for 4e+09.
func short(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}
