package training

import (
	"context"
	"math"
	"sort"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/internal/optim"

	"gonum.org/v1/gonum/stat"
)

// LRSweep is a learning-rate range test (Smith 2017): the loss of a training whose learning rate
// rises exponentially from step to step.
type LRSweep struct {
	LR   []float64
	Loss []float64 // nats, a moving average over some fifty steps
}

// sweepSteps are the lengths of sweeps. A model that starts slowly needs hundreds of steps: if the
// loss has not fallen, the longer sweep follows.
var sweepSteps = []int{1500, 6000}

// Limits of a sweep.
const (
	sweepLow, sweepHigh = 1e-5, 10.0
	sweepSmooth         = 0.98  // of the moving average
	sweepStop           = 4     // times the minimum loss: it has diverged
	sweepFall           = 0.005 // minimum fall of the loss, as a share of it
	sweepSigmas         = 4     // and in standard deviations of the loss at the start
)

// FindLR trains a plan with a rising learning rate, in several passes over small data, and keeps
// nothing. after is called with the number of steps that are done.
func (r *Runner) FindLR(ctx context.Context, p *plan.Plan, after func(done, total int)) (s *LRSweep, err error) {
	for _, steps := range sweepSteps {
		if s, err = r.sweep(ctx, p, steps, after); err != nil {
			return nil, err
		}
		if _, fell := s.Minimum(); fell {
			break
		}
	}
	return s, nil
}

func (r *Runner) sweep(ctx context.Context, p *plan.Plan, steps int, after func(done, total int)) (*LRSweep, error) {
	defer r.Pool.Until(ctx, 0)()
	t, err := r.trainer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.widen(ctx, t.corpus.Train); err != nil {
		return nil, err
	}
	t.schedule = optim.Schedule{Kind: "constant"}
	s := &LRSweep{}
	growth := math.Pow(sweepHigh/sweepLow, 1/float64(steps-1))
	average, minimum := 0.0, math.Inf(1)
	var order []int32
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(order) == 0 {
			order = dataset.Shuffle(t.data.Len(), p.Run.Seed, uint64(step+1))
		}
		n := min(p.Run.Batch, len(order))
		b := t.batch(order[:n], uint64(step))
		order = order[n:]
		if err := t.differentiate(b, uint64(step)); err != nil {
			return nil, err
		}
		loss := float64(t.train.Cost())
		average = sweepSmooth*average + (1-sweepSmooth)*loss
		smooth := average / (1 - math.Pow(sweepSmooth, float64(step+1)))
		if !finite(loss) || smooth > sweepStop*minimum {
			break
		}
		minimum = min(minimum, smooth)
		t.rate = sweepLow * math.Pow(growth, float64(step))
		s.LR, s.Loss = append(s.LR, t.rate), append(s.Loss, smooth)
		if norm, err := t.move(0); err != nil || !finite(norm) {
			return s, err
		}
		after(step+1, steps)
	}
	return s, nil
}

// skipped returns the number of first steps that do not count: their average has few batches, and
// their rates are too low.
func (s *LRSweep) skipped() int {
	return sort.Search(len(s.LR), func(i int) bool { return s.LR[i] >= 4*sweepLow })
}

// Minimum returns the rate at the minimum of the loss, and whether the loss has fallen enough.
func (s *LRSweep) Minimum() (lr float64, fell bool) {
	skipped := s.skipped()
	if len(s.Loss) <= skipped {
		return 0, false
	}
	best := skipped
	for i, l := range s.Loss[skipped:] {
		if l < s.Loss[best] {
			best = skipped + i
		}
	}
	mean, sd := stat.PopMeanStdDev(s.Loss[skipped/2:min(2*skipped, len(s.Loss))], nil)
	return s.LR[best], s.Loss[best] < mean-max(sweepSigmas*sd, sweepFall*mean)
}

// margin is the factor between the rate at the minimum of the loss, after which the loss rises, and
// the suggested one. The best rate is mostly within a factor of two of it (Bengio 2012).
const margin = 2

// Suggested returns half the rate at the minimum of the loss.
func (s *LRSweep) Suggested() (lr float64, ok bool) {
	minimum, fell := s.Minimum()
	return minimum / margin, fell
}
