package training

import (
	"context"
	"errors"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/runs"
)

// session is one run while it trains.
type session struct {
	*Runner
	plan     *plan.Plan
	data     *task.Data
	base     baseOf // nil where no other run is needed
	trainer  *trainer
	writer   *runs.Writer
	hooks    Hooks
	test     *split          // nil until something looks at it (see testSplit)
	exam     task.Exam       // nil like it
	at       runs.Checkpoint // position after the last whole epoch, without tensors that matter
	sum      sums            // of the epoch after it, as far as that has come
	midEpoch midEpoch
}

// train makes the epochs that are missing and commits each.
func (s *session) train(ctx context.Context) error {
	r := s.plan.Run
	var valid *split
	if s.data.Valid != nil {
		var err error
		if valid, err = s.split(s.data.Valid); err != nil {
			return err
		}
	}
	if err := s.noteDeadLogits(ctx); err != nil {
		return err
	}
	for s.at.Epoch < r.Epochs && !(r.Patience > 0 && s.at.Wait >= r.Patience) {
		if err := s.epoch(ctx, s.at.Epoch+1, valid); err != nil {
			s.interrupted(ctx, err)
			return err
		}
	}
	return nil
}

// split readies a split for evaluation.
func (s *session) split(e *dataset.Encoded) (*split, error) {
	return s.trainer.split(s.plan, e, s.data, s.trainer.data.inputs.Table, s.Pool)
}

// testSplit readies the test split and what is asked about it, once.
func (s *session) testSplit() (_ *split, err error) {
	if s.test == nil {
		s.exam = s.plan.Task().Exam(s.data, s.data.Spec(s.plan.Model, s.plan.Run, s.trainer.weights, s.Pool))
		s.test, err = s.split(s.data.Test)
	}
	return s.test, err
}

func (s *session) close() error {
	err := s.trainer.close()
	if s.exam != nil {
		err = errors.Join(err, s.exam.Close())
	}
	return err
}

// epoch trains one epoch, evaluates what came of it and commits it. valid may be
// nil.
func (s *session) epoch(ctx context.Context, epoch int, valid *split) error {
	if err := s.pass(ctx, epoch); err != nil {
		return err
	}
	t, train := s.trainer, &s.sum
	m := runs.Metrics{Epoch: epoch, TrainLoss: number(train.meanLoss()), TrainAcc: number(train.accuracy()), GradNorm: number(train.norm / float64(train.steps))}
	m.TrainEntropy, m.TrainQuantiles = train.entropy()
	m.TrainHeads = train.headEntropies()
	score := 0.0
	var tested *sums
	if s.plan.Run.Tests(epoch) {
		test, err := s.testSplit()
		if err != nil {
			return err
		}
		if tested, err = s.evaluate(ctx, epoch, test); err != nil {
			return err
		}
		tested.test(&m)
		if err := s.exam.Score(ctx, &m); err != nil {
			return err
		}
		score = *m.TestAcc
	}
	if valid != nil {
		v, err := s.evaluate(ctx, epoch, valid)
		if err != nil {
			return err
		}
		m.ValidLoss, m.ValidAcc = number(v.meanLoss()), number(v.accuracy())
		score = *m.ValidAcc
	}
	like, err := t.headSimilarity(tested != nil || valid != nil)
	if err != nil {
		return err
	}
	m.HeadSimilarity = like
	timing := train.timing(epoch)
	if err := s.commit(m, timing, histograms(epoch, train, tested), score); err != nil {
		return err
	}
	s.sum = sums{}
	if s.hooks.Epoch != nil {
		s.hooks.Epoch(m, timing)
	}
	return nil
}

// evaluate makes a pass over a split with the weights after an epoch.
func (s *session) evaluate(ctx context.Context, epoch int, on *split) (*sums, error) {
	seen, err := s.trainer.evaluate(ctx, on, nil)
	if err != nil {
		return nil, err
	}
	return seen, check(epoch, &s.sum, seen)
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

// finish has the weights that count answer the test split, unless that is never looked
// at.
func (s *session) finish(ctx context.Context) error {
	if s.plan.Run.Test == "never" {
		return s.writer.Finish(nil)
	}
	chosen, err := s.choose()
	if err != nil {
		return err
	}
	test, err := s.testSplit()
	if err != nil {
		return err
	}
	tested, err := s.trainer.evaluate(ctx, test, s.exam.See)
	if err != nil {
		return err
	}
	m := runs.Metrics{Epoch: chosen}
	tested.test(&m)
	answers, err := s.exam.Answers(ctx, &m)
	if err != nil {
		return err
	}
	if s.plan.Run.TestsAtEnd(chosen) {
		if err := s.writer.Tested(m); err != nil {
			return err
		}
	}
	return s.writer.Finish(answers)
}

// choose brings back the weights that count, those of the best epoch where the
// settings say so, and returns their epoch.
func (s *session) choose() (epoch int, err error) {
	if s.plan.Run.Select != "best" {
		return s.at.Epoch, nil
	}
	run, err := runs.Open(s.writer.Path())
	if err != nil {
		return 0, err
	}
	best, err := run.Checkpoint(runs.Best)
	if err != nil {
		return 0, cannotGoOn(run, err)
	}
	return best.Epoch, s.trainer.load(best)
}

// test puts what a pass over test gave into metrics.
func (t *sums) test(m *runs.Metrics) {
	m.TestLoss, m.TestAcc = number(t.meanLoss()), number(t.accuracy())
	m.TestEntropy, m.TestQuantiles = t.entropy()
	m.TestHeads = t.headEntropies()
}

func number(x float64) *float64 { return runs.Number(x) }
