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

// average is a running mean of the weights over the steps (Polyak and Juditsky 1992), by
// which a run is evaluated and which it keeps as its weights:
//
//	ā ← ā + (1−β)(w − ā)
//
// While fewer than 1/(1−β) steps are behind, it is the plain mean of all.
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

// averaged is how many numbers a worker takes at a time.
const averaged = 1 << 14

// add counts the weights after so many steps.
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

// swap puts the means in the place of the weights, and the other way round.
func (a *average) swap(weights []*models.Weight) {
	for i, w := range weights {
		for j, x := range a.mean[i] {
			a.mean[i][j], w.Data[j] = w.Data[j], x
		}
	}
}

// exam is one that the weights that count sit, wherever it asks the model itself.
type exam struct {
	task.Exam
	trainer *trainer
}

func (e *exam) Score(ctx context.Context, m *runs.Metrics) error {
	defer e.trainer.counting()()
	return e.Exam.Score(ctx, m)
}

func (e *exam) Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error) {
	defer e.trainer.counting()()
	return e.Exam.Answers(ctx, m)
}
