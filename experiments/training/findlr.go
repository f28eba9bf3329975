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

// LRSweep is a learning-rate range test (Smith 2017): the loss of a training whose
// rate rises exponentially from step to step.
type LRSweep struct {
	LR   []float64
	Loss []float64 // nats, a moving average over some fifty steps
}

// sweepSteps are the lengths of sweeps: a model that starts slowly needs hundreds of
// steps at rates that move it. A longer one is made where the loss has not fallen.
var sweepSteps = []int{1500, 6000}

// Limits of a sweep.
const (
	sweepLow, sweepHigh = 1e-5, 10.0
	sweepSmooth         = 0.98  // of the moving average
	sweepStop           = 4     // times the least loss: it has diverged
	sweepFall           = 0.005 // least fall that counts, as a share of the loss
	sweepSigmas         = 4     // and in standard deviations of the loss before it moves
)

// FindLR trains a plan with a rising rate, over several passes where the data are few,
// and keeps nothing. after hears how many of the steps are done.
func (r *Runner) FindLR(ctx context.Context, p *plan.Plan, after func(done, total int)) (s *LRSweep, err error) {
	for _, steps := range sweepSteps {
		if s, err = r.sweep(ctx, p, steps, after); err != nil {
			return nil, err
		}
		if _, fell := s.Least(); fell {
			break
		}
	}
	return s, nil
}

func (r *Runner) sweep(ctx context.Context, p *plan.Plan, steps int, after func(done, total int)) (*LRSweep, error) {
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
	average, least := 0.0, math.Inf(1)
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
		if !finite(loss) || smooth > sweepStop*least {
			break
		}
		least = min(least, smooth)
		t.rate = sweepLow * math.Pow(growth, float64(step))
		s.LR, s.Loss = append(s.LR, t.rate), append(s.Loss, smooth)
		if norm, err := t.move(0); err != nil || !finite(norm) {
			return s, err
		}
		after(step+1, steps)
	}
	return s, nil
}

// settled is how many of the first steps tell nothing: their average is of few
// batches, and their rates are too low to move anything.
func (s *LRSweep) settled() int {
	return sort.Search(len(s.LR), func(i int) bool { return s.LR[i] >= 4*sweepLow })
}

// Least returns the rate at which the loss is least, and whether it has fallen
// enough by then to tell anything.
func (s *LRSweep) Least() (lr float64, fell bool) {
	settled := s.settled()
	if len(s.Loss) <= settled {
		return 0, false
	}
	best := settled
	for i, l := range s.Loss[settled:] {
		if l < s.Loss[best] {
			best = settled + i
		}
	}
	mean, sd := stat.PopMeanStdDev(s.Loss[settled/2:min(2*settled, len(s.Loss))], nil)
	return s.LR[best], s.Loss[best] < mean-max(sweepSigmas*sd, sweepFall*mean)
}

// margin is how far below the rate of the least loss one stays: at that one the loss is
// about to rise. The best rate mostly is within a factor of two of it (Bengio 2012); a
// tenth of it is too low where steps are few.
const margin = 2

// Suggested returns half the rate at which the loss is least.
func (s *LRSweep) Suggested() (lr float64, ok bool) {
	least, fell := s.Least()
	return least / margin, fell
}
