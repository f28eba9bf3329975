package training

import (
	"context"
	"errors"
	"time"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// session is one run while it trains.
type session struct {
	*Runner
	plan    *plan.Plan
	config  *runs.Config
	data    *task.Data
	others  others
	learner learner
	writer  *runs.Writer // of the run's folder; nil without one
	into    record
	hooks   Hooks
	tester  task.Tester     // nil until the test set is evaluated (see openTester)
	at      runs.Checkpoint // position after the last whole epoch; its tensors are not used
	sum     sums            // of the next epoch, as far as it is done
	wrote   float64         // seconds to write the epoch before; 0 if this session did not
}

// train trains the missing epochs and commits each of them.
func (s *session) train(ctx context.Context) error {
	r := s.plan.Run
	if text := s.learner.remark(); text != "" && s.at.Epoch == 0 {
		s.note("%s", text)
	}
	began := time.Now()
	if err := s.learner.ready(ctx, s.hooks.Fit); err != nil {
		return err
	}
	s.sum.seconds += time.Since(began).Seconds() // counts as part of the epoch that follows
	s.noteImbalanced()
	// A learner may be done while an interrupted epoch is not committed yet.
	for s.at.Epoch < r.Epochs && !(r.Patience > 0 && s.at.Wait >= r.Patience) && (s.sum.steps > 0 || !s.learner.done()) {
		if err := s.epoch(ctx, s.at.Epoch+1); err != nil {
			s.interrupted(ctx, err)
			return err
		}
	}
	return nil
}

// openTester returns the tester of the learner, made by the first call.
func (s *session) openTester() task.Tester {
	if s.tester == nil {
		s.tester = s.learner.tester()
	}
	return s.tester
}

func (s *session) close() error {
	err := s.learner.close()
	if s.tester != nil {
		err = errors.Join(err, s.tester.Close())
	}
	return err
}

// epoch trains one epoch, evaluates and commits it.
func (s *session) epoch(ctx context.Context, epoch int) error {
	if err := s.pass(ctx, epoch); err != nil {
		return err
	}
	train, valid := &s.sum, s.data.Valid
	m := runs.Metrics{Epoch: epoch, TrainLoss: new(train.meanLoss()), TrainAcc: new(train.accuracy()), GradNorm: new(train.norm / float64(train.steps))}
	m.TrainEntropy, m.TrainQuantiles = train.entropy()
	m.TrainHeads = train.headEntropies()
	began := time.Now()
	var tested *sums
	if s.plan.Run.Tests(epoch) {
		var err error
		if tested, err = s.evaluate(ctx, epoch, s.data.Test); err != nil {
			return err
		}
		tested.test(&m, s.showsF1())
		if err := s.openTester().Score(ctx, &m); err != nil {
			return err
		}
	}
	if valid != nil {
		v, err := s.evaluate(ctx, epoch, valid)
		if err != nil {
			return err
		}
		m.ValidLoss, m.ValidAcc = new(v.meanLoss()), new(v.accuracy())
		if s.showsF1() {
			m.ValidMacroF1 = new(v.macroF1())
		}
	}
	like, err := s.learner.headSimilarity(tested != nil || valid != nil)
	if err != nil {
		return err
	}
	m.HeadSimilarity = like
	timing := train.timing(epoch)
	timing.Checkpoint = s.wrote
	if tested != nil || valid != nil {
		timing.Evaluation = max(0, time.Since(began).Seconds())
	}
	began = time.Now()
	if err := s.commit(m, timing, histograms(epoch, train, tested)); err != nil {
		return err
	}
	s.wrote = max(0, time.Since(began).Seconds())
	s.sum = sums{}
	if s.hooks.Epoch != nil {
		s.hooks.Epoch(m, timing)
	}
	return nil
}

// showsF1 reports whether macro-F1 is among the metrics.
func (s *session) showsF1() bool {
	_, unequal := s.data.Imbalanced()
	return unequal || s.plan.Run.SelectBy == "macro_f1"
}

// score returns the score of an epoch by which epochs are chosen; more is better. It is that of the
// validation split, or of the test set where there is none.
func (s *session) score(m runs.Metrics) float64 {
	if s.data.Valid == nil {
		m.ValidLoss, m.ValidAcc, m.ValidMacroF1 = m.TestLoss, m.TestAcc, m.TestMacroF1
	}
	if score := s.config.ValidScore(&m); score != nil {
		return *score
	}
	return 0
}

// noteImbalanced says once that the classes are so unequal that macro-F1 chooses the epoch.
func (s *session) noteImbalanced() {
	share, unequal := s.data.Imbalanced()
	if r := s.plan.Run; unequal && (r.Select == runs.Best || r.Patience > 0) && r.SelectBy == "auto" {
		s.Loader.Unequal.Do(func() {
			s.note("the largest class has %.0f %% of train, so the epoch is chosen by macro-F1; select.by chooses another score, class.weights=balanced gives all classes the same weight", 100*share)
		})
	}
}

// evaluate evaluates the weights after an epoch on a split.
func (s *session) evaluate(ctx context.Context, epoch int, on *dataset.Encoded) (*sums, error) {
	seen, err := s.learner.evaluate(ctx, on, nil)
	if err != nil {
		return nil, err
	}
	return seen, check(epoch, &s.sum, seen)
}

// commit commits the epoch and updates the best one, if one is chosen.
func (s *session) commit(m runs.Metrics, timing runs.Timing, hs []runs.Histogram) error {
	c := runs.Checkpoint{Epoch: m.Epoch, BestEpoch: s.at.BestEpoch, BestScore: s.at.BestScore, Wait: s.at.Wait}
	best := false
	if r := s.plan.Run; r.Select == "best" || r.Patience > 0 {
		score := s.score(m)
		if best = c.BestEpoch == 0 || score > c.BestScore; best {
			c.BestEpoch, c.BestScore, c.Wait = m.Epoch, score, 0
		} else {
			c.Wait++
		}
	}
	s.learner.save(&c)
	if err := s.into.Epoch(m, timing, hs, &c, best); err != nil {
		return err
	}
	s.at = c
	return nil
}

func histograms(epoch int, train, test *sums) []runs.Histogram {
	if len(train.entropies) == 0 {
		return nil
	}
	out := []runs.Histogram{runs.NewHistogram(epoch, "train", train.entropies)}
	if test != nil {
		out = append(out, runs.NewHistogram(epoch, "test", test.entropies))
	}
	out = append(out, train.headHistograms(epoch, "train")...)
	if test != nil {
		out = append(out, test.headHistograms(epoch, "test")...)
	}
	return out
}

// finish evaluates the chosen weights on the test set, unless test=never.
func (s *session) finish(ctx context.Context) error {
	if s.plan.Run.Test == "never" {
		return s.into.Finish(nil)
	}
	chosen, err := s.choose()
	if err != nil {
		return err
	}
	tester := s.openTester()
	tested, err := s.learner.evaluate(ctx, s.data.Test, tester.Collect)
	if err != nil {
		return err
	}
	m := runs.Metrics{Epoch: chosen}
	tested.test(&m, s.showsF1())
	answers, err := tester.Answers(ctx, &m)
	if err != nil {
		return err
	}
	if s.plan.Run.TestsAtEnd(chosen) {
		if err := s.into.Tested(m); err != nil {
			return err
		}
	}
	return s.into.Finish(answers)
}

// choose loads the chosen weights, those of the best epoch with select=best, and returns their epoch.
func (s *session) choose() (epoch int, err error) {
	if s.plan.Run.Select != "best" {
		return s.at.Epoch, nil
	}
	best, err := s.into.best()
	if err != nil {
		return 0, err
	}
	return best.Epoch, s.learner.load(best)
}

// test puts the results of an evaluation on the test set into metrics.
func (t *sums) test(m *runs.Metrics, f1 bool) {
	m.TestLoss, m.TestAcc = new(t.meanLoss()), new(t.accuracy())
	if f1 {
		m.TestMacroF1 = new(t.macroF1())
	}
	m.TestEntropy, m.TestQuantiles = t.entropy()
	m.TestHeads = t.headEntropies()
}

// pass trains on all of train, or on the rest of an interrupted epoch, and saves checkpoints.
func (s *session) pass(ctx context.Context, epoch int) error {
	began, before := time.Now(), s.sum.seconds
	next := began.Add(s.CheckpointEvery)
	return s.learner.epoch(ctx, epoch, &s.sum, func(at Step) {
		s.sum.seconds = before + time.Since(began).Seconds()
		if s.hooks.Step != nil {
			s.hooks.Step(at)
		}
		start := time.Now()
		if s.CheckpointEvery == 0 || start.Before(next) {
			return
		}
		s.saveStep()
		every := s.CheckpointEvery
		if every >= time.Second { // writing takes at most a hundredth of the time, even on a slow disk
			every = max(every, 100*time.Since(start))
		}
		next = time.Now().Add(every)
	})
}

// saveStep writes a checkpoint inside the epoch. If that fails the run continues: the checkpoint
// before it is still there.
func (s *session) saveStep() {
	c := runs.Checkpoint{Epoch: s.at.Epoch, BestEpoch: s.at.BestEpoch, BestScore: s.at.BestScore, Wait: s.at.Wait}
	s.learner.save(&c)
	s.sum.save(&c)
	if err := s.into.Step(&c); err != nil {
		s.note("no checkpoint inside epoch %d: %v", s.at.Epoch+1, err)
	}
}

// interrupted saves the steps so far if err says that the run was asked to stop. After any other
// error the weights may be wrong.
func (s *session) interrupted(ctx context.Context, err error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.Is(err, ops.ErrStopped) && s.sum.steps > 0 {
		s.saveStep()
	}
}
