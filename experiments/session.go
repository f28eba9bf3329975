package experiments

import (
	"context"
	"math"
	"time"

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
		m.TrainHeads = train.headEntropies()
		tested, err := t.evaluate(ctx, test, nil)
		if err != nil {
			return err
		}
		if err := t.check(epoch, train, tested); err != nil {
			return err
		}
		m.TestLoss, m.TestAcc = number(tested.meanLoss()), number(tested.accuracy())
		m.TestEntropy, m.TestQuantiles = tested.entropy()
		m.TestHeads = tested.headEntropies()
		if like, ok := t.eval.HeadSimilarity(); ok {
			m.HeadSimilarity = &like
		}
		score := *m.TestAcc
		if valid != nil {
			v, err := t.evaluate(ctx, valid, nil)
			if err != nil {
				return err
			}
			if err := t.check(epoch, train, v); err != nil {
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
	out := []runs.Histogram{
		runs.NewHistogram(epoch, "train", train.entropies),
		runs.NewHistogram(epoch, "test", test.entropies),
	}
	out = append(out, train.headHistograms(epoch, "train")...)
	return append(out, test.headHistograms(epoch, "test")...)
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

func number(x float64) *float64 { return runs.Number(x) }
