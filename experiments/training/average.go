package training

import (
	"context"
	"slices"

	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/models"
	"imdbexp/runs"
)

// average is a running mean of the weights over the steps (Polyak and Juditsky 1992). The run is
// evaluated with it and keeps it as its weights:
//
//	ā ← ā + (1−β)(w − ā)
//
// In the first 1/(1−β) steps it is the plain mean over all steps so far.
type average struct {
	decay float64
	pool  *ops.Pool
	mean  [][]float32 // ā, a slice for each weight
}

func newAverage(decay float64, weights []*models.Weight, pool *ops.Pool) *average {
	a := &average{decay: decay, pool: pool}
	for _, w := range weights {
		a.mean = append(a.mean, slices.Clone(w.Data))
	}
	return a
}

// averaged is the number of weights that a worker averages at a time.
const averaged = 1 << 14

// add adds the weights to the mean; steps counts the steps so far.
func (a *average) add(weights []*models.Weight, steps int64) error {
	share := float32(max(1-a.decay, 1/float64(steps)))
	for i, w := range weights {
		mean := a.mean[i]
		err := a.pool.For((len(mean)+averaged-1)/averaged, func(k int) {
			lo, hi := k*averaged, min((k+1)*averaged, len(mean))
			simd.Scale(mean[lo:hi], 1-share)
			simd.Axpy(mean[lo:hi], share, w.Data[lo:hi])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// swap exchanges the means and the weights.
func (a *average) swap(weights []*models.Weight) {
	for i, w := range weights {
		for j, x := range a.mean[i] {
			a.mean[i][j], w.Data[j] = w.Data[j], x
		}
	}
}

// exam is a task.Exam that runs the model with the averaged weights.
type exam struct {
	task.Exam
	trainer *trainer
}

func (e *exam) Score(ctx context.Context, m *runs.Metrics) error {
	defer e.trainer.useAverage()()
	return e.Exam.Score(ctx, m)
}

func (e *exam) Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error) {
	defer e.trainer.useAverage()()
	return e.Exam.Answers(ctx, m)
}
