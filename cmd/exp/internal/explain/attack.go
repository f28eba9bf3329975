package explain

import (
	"math"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
)

// logit is log p/q, infinite beyond the ends.
func logit(p, q float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case q <= 0:
		return math.Inf(1)
	}
	return simd.Log64(p / q)
}

// attack finds adversarial weights for the reviews of a batch. Index k is the review's
// place in the batch.
type attack struct {
	model  *infer.Model
	batch  *infer.Batch
	own    [][]float64 // the model's own weights
	slopes [][]float64 // of the margin of the predicted class, with respect to the weights
	best   [][]float64 // the farthest weights so far
	tried  [][]float64 // the weights tried last
	p      [][]float32 // probabilities with the model's own weights
	margin []float64   // with the model's own weights
}

func (s *Subject) newAttack(g *infer.Gradients, group []int, texts []infer.Encoded) (*attack, error) {
	a := &attack{model: s.Model, slopes: make([][]float64, len(group)), margin: make([]float64, len(group))}
	err := g.Run(texts, func(k int) int { return s.Texts[group[k]].Class }, func(k int, d infer.Derived) {
		a.margin[k], a.slopes[k] = float64(d.Margin), float64s(d.Weights)
	})
	if err != nil {
		return nil, err
	}
	if a.batch, err = s.Model.Run(texts); err != nil {
		return nil, err
	}
	for k := range group {
		w, err := a.batch.Attention(k)
		if err != nil {
			return nil, err
		}
		a.own, a.p = append(a.own, float64s(w)), append(a.p, slices.Clone(a.batch.P(k)))
		a.best, a.tried = append(a.best, float64s(w)), append(a.tried, make([]float64, len(w)))
	}
	return a, nil
}

// run finds the adversaries for one bound: the margin is linear in the weights, so farthest gives the exact answer.
// It writes how far the weights are from the model's own, and how far the answers move.
func (a *attack) run(epsilon float64, group []int, distance, change []float64) error {
	target := make([][]float64, len(a.own))
	err := a.each(func(k int) {
		low, high := band(a.margin[k], withinBound*epsilon)
		rest := a.margin[k] - dot(a.own[k], a.slopes[k])
		target[k] = a.own[k]
		if found, ok := farthest(a.own[k], a.slopes[k], low-rest, high-rest); ok {
			target[k] = make([]float64, len(a.own[k]))
			found.Weights(target[k])
		}
	})
	if err == nil {
		err = a.moveTo(target, epsilon)
	}
	if err == nil {
		err = a.reweigh(a.best)
	}
	if err != nil {
		return err
	}
	for k, i := range group {
		w, err := a.batch.Attention(k)
		if err != nil {
			return err
		}
		distance[i], change[i] = jensenShannon(a.own[k], float64s(w)), a.change(k)
	}
	return nil
}

// moveTo goes from the model's own weights towards a target as far as the bound allows, by bisection: rounding may
// put the target beyond it. It keeps the weights if they are farther away than the best so far. Weights found for a
// lower bound also hold for a higher one.
func (a *attack) moveTo(target [][]float64, epsilon float64) error {
	n := len(target)
	at, low, high := slices.Repeat([]float64{1}, n), make([]float64, n), slices.Repeat([]float64{1}, n) // of the way: tried, within and beyond the bound
	for range 1 + lineSteps {
		err := a.each(func(k int) {
			for i, w := range a.own[k] {
				a.tried[k][i] = w + float64(at[k]*(target[k][i]-w))
			}
		})
		if err == nil {
			err = a.reweigh(a.tried)
		}
		if err != nil {
			return err
		}
		done := true
		for k, tried := range a.tried {
			if a.change(k) > epsilon {
				high[k] = at[k]
			} else {
				low[k] = at[k]
				if jensenShannon(a.own[k], tried) > jensenShannon(a.own[k], a.best[k]) {
					copy(a.best[k], tried)
				}
			}
			if low[k] < 1 {
				at[k], done = (low[k]+high[k])/2, false
			}
		}
		if done {
			return nil
		}
	}
	return nil
}

func (a *attack) each(do func(k int)) error { return a.model.Pool().For(len(a.own), do) }

// reweigh runs the rest of the network with these weights.
func (a *attack) reweigh(to [][]float64) error {
	return a.batch.Reweigh(func(k int, weights []float32) { copy(weights, infer.Float32s(to[k])) })
}

// change is the total variation between the current probabilities and the model's own.
func (a *attack) change(k int) float64 { return totalVariation(a.p[k], a.batch.P(k)) }

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
