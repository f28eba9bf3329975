package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// ResultVersion goes into every run's ID. It is raised whenever a change makes
// the goldens change, so that old results are never taken for new ones.
const ResultVersion = 1

// Runner carries out plans.
type Runner struct {
	Dir    string // where run folders go
	Loader *Loader
	Pool   *ops.Pool
	Force  bool // train again what has finished
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
	Origin  string // "", "resumed" or the label of the shorter run that it extends
}

// Outcome is how a run ended.
type Outcome struct {
	Run     *runs.Run
	Skipped bool // it had finished before
}

// DivergedError is a run that ended because its numbers did.
type DivergedError struct {
	Name, Message, Advice string
	Good                  int // last whole epoch, 0 for none
}

func (e *DivergedError) Error() string {
	good := "No epoch was completed"
	if e.Good > 0 {
		good = fmt.Sprintf("Last good checkpoint: epoch %d", e.Good)
	}
	return fmt.Sprintf("%s %s. %s. Try %s", e.Name, e.Message, good, e.Advice)
}

// Describe opens the data of a plan and returns the run's configuration, and so
// its ID, without training anything.
func (r *Runner) Describe(ctx context.Context, p *Plan) (runs.Config, *Data, error) {
	d, err := r.Loader.Load(ctx, p.Run)
	if err != nil {
		return runs.Config{}, nil, err
	}
	c := runs.NewConfig(p.Experiment.Name, p.Experiment.Model, ResultVersion, p.Set, d.Digests)
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
			return &Outcome{found, true}, nil
		case runs.Diverged:
			return nil, diverged(p, found.Status.Message, found.Status.Epoch)
		case runs.Damaged:
			return nil, fmt.Errorf("%s: %s. Train it again with --force", found.Label(), found.Status)
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
		h.Started(Started{p, &c, t.count(), from.Epoch, origin})
	}
	s := &session{Runner: r, plan: p, data: d, trainer: t, writer: w, hooks: h, at: *from}
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
	c.Table, err = runs.PutTable(r.Dir, &runs.Table{Words: d.Table.Words, Rows: d.Table.Rows, Dim: d.Table.Dim, OOV: 0})
	if err != nil {
		return nil, nil, "", err
	}
	switch {
	case r.Force:
		w, err = runs.Replace(r.Dir, c, env)
	case found != nil:
		w, from, err = runs.Resume(found, env)
		origin = "resumed"
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

func (t *trainer) count() int {
	n := 0
	for _, w := range t.named() {
		n += len(w.Data)
	}
	return n
}

// session is one run while it trains.
type session struct {
	*Runner
	plan    *Plan
	data    *Data
	trainer *trainer
	writer  *runs.Writer
	hooks   Hooks
	at      runs.Checkpoint // position, without tensors that matter
}

// train makes the epochs that are missing and commits each.
func (s *session) train(ctx context.Context) error {
	t, r := s.trainer, s.plan.Run
	test, err := t.split(s.data.Test, s.data, t.data.inputs.Table, s.Pool)
	if err != nil {
		return err
	}
	var valid *split
	if s.data.Valid != nil {
		if valid, err = t.split(s.data.Valid, s.data, t.data.inputs.Table, s.Pool); err != nil {
			return err
		}
	}
	if err := s.noteDeadLogits(ctx); err != nil {
		return err
	}
	for s.at.Epoch < r.Epochs && !(r.Patience > 0 && s.at.Wait >= r.Patience) {
		epoch := s.at.Epoch + 1
		start := time.Now()
		train, err := t.epoch(ctx, epoch, s.hooks.Step)
		if err != nil {
			return err
		}
		seconds := time.Since(start).Seconds()
		m := runs.Metrics{Epoch: epoch, TrainLoss: number(train.meanLoss()), TrainAcc: number(train.accuracy()), GradNorm: number(train.norm / float64(train.steps))}
		m.TrainEntropy, m.TrainQuantiles = train.entropy()
		tested, err := t.evaluate(ctx, test, nil)
		if err != nil {
			return err
		}
		m.TestLoss, m.TestAcc = number(tested.meanLoss()), number(tested.accuracy())
		m.TestEntropy, m.TestQuantiles = tested.entropy()
		score := *m.TestAcc
		if valid != nil {
			v, err := t.evaluate(ctx, valid, nil)
			if err != nil {
				return err
			}
			m.ValidLoss, m.ValidAcc = number(v.meanLoss()), number(v.accuracy())
			score = *m.ValidAcc
		}
		timing := runs.Timing{Epoch: epoch, Seconds: seconds, Words: float64(train.words) / seconds}
		if err := s.commit(m, timing, histograms(epoch, train, tested), score); err != nil {
			return err
		}
		if s.hooks.Epoch != nil {
			s.hooks.Epoch(m, timing)
		}
	}
	return nil
}

// commit keeps the epoch and remembers the best one, where one is chosen.
func (s *session) commit(m runs.Metrics, timing runs.Timing, hs []runs.Histogram, score float64) error {
	c := runs.Checkpoint{Epoch: m.Epoch, BestEpoch: s.at.BestEpoch, BestScore: s.at.BestScore, Wait: s.at.Wait}
	best := false
	if r := s.plan.Run; r.Select == "best" || r.Patience > 0 {
		if best = c.BestEpoch == 0 || score > c.BestScore; best {
			c.BestEpoch, c.BestScore, c.Wait = m.Epoch, score, 0
		} else {
			c.Wait++
		}
	}
	s.trainer.save(&c)
	if err := s.writer.Epoch(m, timing, hs, &c, best); err != nil {
		return err
	}
	s.at = c
	return nil
}

func histograms(epoch int, train, test *tally) []runs.Histogram {
	if len(train.entropies) == 0 {
		return nil
	}
	return []runs.Histogram{
		runs.NewHistogram(epoch, "train", train.entropies),
		runs.NewHistogram(epoch, "test", test.entropies),
	}
}

// finish predicts the test reviews with the weights that count.
func (s *session) finish(ctx context.Context) error {
	t := s.trainer
	if s.plan.Run.Select == "best" {
		run, err := runs.Open(s.writer.Path())
		if err != nil {
			return err
		}
		best, err := run.Checkpoint(runs.Best)
		if err != nil {
			return err
		}
		if err := t.load(best); err != nil {
			return err
		}
	}
	test, err := t.split(s.data.Test, s.data, t.data.inputs.Table, s.Pool)
	if err != nil {
		return err
	}
	p := &runs.Predictions{Classes: s.data.Classes, Rows: make([]runs.Prediction, test.Len())}
	if _, err := t.evaluate(ctx, test, func(test *split) { t.predict(test, p.Rows) }); err != nil {
		return err
	}
	// Reviews that slip.drop_last left out have no prediction.
	kept := p.Rows[:0]
	for _, row := range p.Rows {
		if row.P != nil {
			kept = append(kept, row)
		}
	}
	p.Rows = kept
	return s.writer.Finish(p)
}

// predict notes what the network says about the batch it has just seen, each
// review at its place in the split.
func (t *trainer) predict(s *split, rows []runs.Prediction) {
	scores, entropies := t.eval.Scores(), t.eval.Entropies()
	for i, review := range s.batch.Reviews {
		p := runs.Prediction{
			Review: s.Names[review], Label: int(s.Encoded.Labels[review]), Predicted: argmax(scores.Row(i)),
			Words: len(s.Words(int(review))), Entropy: float32(math.NaN()), P: append([]float32(nil), scores.Row(i)...),
		}
		if entropies != nil {
			p.Entropy = entropies[i]
		}
		rows[review] = p
	}
}

// noteDeadLogits says which logits a ReLU holds at 0 for every training review
// before the first step: they can never be learned.
func (s *session) noteDeadLogits(ctx context.Context) error {
	if slip, ok := s.plan.Set.Get("slip.relu_logits"); !ok || slip.Value != "true" || s.at.Epoch > 0 || s.hooks.Note == nil {
		return nil
	}
	alive := make([]bool, len(s.data.Classes))
	_, err := s.trainer.evaluate(ctx, s.trainer.data, func(*split) {
		z := s.trainer.eval.Logits()
		for i, v := range z.Data {
			alive[i%z.Cols] = alive[i%z.Cols] || v > 0
		}
	})
	if err != nil {
		return err
	}
	note := ""
	for c, a := range alive {
		if !a {
			note += " " + s.data.Classes[c]
		}
	}
	if note == "" {
		note = " none"
	}
	s.hooks.Note(fmt.Sprintf("dead logits at the start (seed %d):%s", s.plan.Run.Seed, note))
	return nil
}

// diverged makes the error with advice from the settings.
func diverged(p *Plan, message string, good int) error {
	advice := "clip=1"
	if p.Run.Clip > 0 {
		advice = "lr=" + short(p.Run.LR/10)
	}
	if l, ok := p.Set.Get("lambda"); ok {
		if v, _ := strconv.ParseFloat(l.Value, 64); v > 0 {
			advice = "lambda=" + short(v/10) + " or " + advice
		}
	}
	return &DivergedError{p.Experiment.Name, message, advice, good}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

func number(x float64) *float64 { return runs.Number(x) }
