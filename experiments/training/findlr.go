package training

import (
	"context"
	"math"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/internal/optim"

	"gonum.org/v1/gonum/stat"
)

// LRSweep is a learning-rate range test (Smith 2017): the loss of a training whose
// rate rises exponentially from step to step.
type LRSweep struct {
	LR   []float64
	Loss []float64 // nats, a moving average over some twenty steps
}

// Limits of a sweep.
const (
	sweepLow, sweepHigh = 1e-5, 10.0
	sweepSteps          = 400
	sweepSmooth         = 0.95  // of the moving average
	sweepStop           = 4     // times the least loss: it has diverged
	sweepFall           = 0.005 // least fall that counts, as a share of the loss
	sweepSigmas         = 4     // and in standard deviations of the loss before it moves
)

// FindLR trains a plan for some hundred steps with a rising rate and keeps nothing.
// after hears how many of them are done.
func (r *Runner) FindLR(ctx context.Context, p *plan.Plan, after func(done, total int)) (*LRSweep, error) {
	t, err := r.trainer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer t.close()
	t.schedule = optim.Schedule{Kind: "constant"}
	defer func(lr float64) { p.Run.LR = lr }(p.Run.LR)
	s := &LRSweep{}
	growth := math.Pow(sweepHigh/sweepLow, 1.0/(sweepSteps-1))
	average, least := 0.0, math.Inf(1)
	var order []int32
	for step := range sweepSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(order) == 0 {
			order = dataset.Shuffle(t.data.Len(), p.Run.Seed, uint64(step+1))
		}
		n := min(p.Run.Batch, len(order))
		b := t.data.fill(order[:n])
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
		p.Run.LR = sweepLow * math.Pow(growth, float64(step))
		s.LR, s.Loss = append(s.LR, p.Run.LR), append(s.Loss, smooth)
		if norm, err := t.move(0); err != nil || !finite(norm) {
			return s, err
		}
		after(step+1, sweepSteps)
	}
	return s, nil
}

// settled is how many of the first steps tell nothing: their average is of few
// batches, and their rates are too low to move anything.
const settled = sweepSteps / 10

// Least returns the rate at which the loss is least, and whether it has fallen
// enough by then to tell anything.
func (s *LRSweep) Least() (lr float64, fell bool) {
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

// Suggested returns a tenth of the rate at which the loss is least: at that one
// itself it is about to rise.
func (s *LRSweep) Suggested() (lr float64, ok bool) {
	least, fell := s.Least()
	return least / 10, fell
}
