package experiments

import (
	"context"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/runs"
)

// session is one run while it trains.
type session struct {
	*Runner
	plan    *Plan
	data    *Data
	trainer *trainer
	writer  *runs.Writer
	hooks   Hooks
	test    *split          // nil until something looks at it (see testSplit)
	at      runs.Checkpoint // position after the last whole epoch, without tensors that matter
	sum     tally           // of the epoch after it, as far as that has come
	inside  inside
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
	return s.trainer.split(e, s.data, s.trainer.data.inputs.Table, s.Pool)
}

// testSplit readies the test reviews, once.
func (s *session) testSplit() (*split, error) {
	if s.test == nil {
		test, err := s.split(s.data.Test)
		if err != nil {
			return nil, err
		}
		s.test = test
	}
	return s.test, nil
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
	var tested *tally
	if s.plan.Run.Test == "each" {
		test, err := s.testSplit()
		if err != nil {
			return err
		}
		if tested, err = s.evaluate(ctx, epoch, test); err != nil {
			return err
		}
		tested.test(&m)
		if _, err := s.decode(ctx, &m); err != nil {
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
	s.sum = tally{}
	if s.hooks.Epoch != nil {
		s.hooks.Epoch(m, timing)
	}
	return nil
}

// evaluate makes a pass over a split with the weights after an epoch.
func (s *session) evaluate(ctx context.Context, epoch int, on *split) (*tally, error) {
	seen, err := s.trainer.evaluate(ctx, on, nil)
	if err != nil {
		return nil, err
	}
	return seen, s.trainer.check(epoch, &s.sum, seen)
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

// finish predicts the test reviews, or translates the test pairs, with the weights
// that count, unless test is never looked at.
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
	p, m := (*runs.Predictions)(nil), runs.Metrics{Epoch: chosen}
	if s.plan.Translates() {
		err = s.finishPairs(ctx, test, &m)
	} else {
		p, err = s.finishReviews(ctx, test, &m)
	}
	if err != nil {
		return err
	}
	if s.plan.Run.Test == "last" {
		if err := s.writer.Tested(m); err != nil {
			return err
		}
	}
	return s.writer.Finish(p)
}

// finishReviews predicts the test reviews and puts what came of it into m.
func (s *session) finishReviews(ctx context.Context, test *split, m *runs.Metrics) (*runs.Predictions, error) {
	t := s.trainer
	p := &runs.Predictions{Classes: s.data.Classes, Rows: make([]runs.Prediction, test.Len())}
	tested, err := t.evaluate(ctx, test, func(test *split) { t.predict(test, p.Rows) })
	if err != nil {
		return nil, err
	}
	tested.test(m)
	// Reviews that slip.drop_last left out have no prediction.
	p.Rows = slices.DeleteFunc(p.Rows, func(row runs.Prediction) bool { return row.P == nil })
	return p, nil
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
func (t *tally) test(m *runs.Metrics) {
	m.TestLoss, m.TestAcc = number(t.meanLoss()), number(t.accuracy())
	m.TestEntropy, m.TestQuantiles = t.entropy()
	m.TestHeads = t.headEntropies()
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

func number(x float64) *float64 { return runs.Number(x) }
