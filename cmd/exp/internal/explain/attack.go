package explain

import (
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
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

// attack searches adversarial weights for the reviews of a batch. Index k is the review's
// place in the batch.
type attack struct {
	model  *infer.Model
	batch  *infer.Batch
	class  []int       // predicted with the model's own weights
	own    [][]float64 // the model's own weights
	slopes [][]float64 // of the margin of that class, with respect to the weights
	alone  [][]float64 // the margin with all weight on one word; nil until computed
	best   [][]float64 // the farthest weights so far
	tried  [][]float64 // the weights that were asked about last
	p      [][]float32 // probabilities with the model's own weights
	margin []float64   // with the model's own weights
}

func (s *Subject) newAttack(g *infer.Gradients, group []int, texts []infer.Encoded) (*attack, error) {
	a := &attack{model: s.Model, slopes: make([][]float64, len(group)), margin: make([]float64, len(group))}
	for _, i := range group {
		a.class = append(a.class, s.Texts[i].Class)
	}
	err := g.Run(texts, func(k int) int { return a.class[k] }, func(k int, d infer.Derived) {
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

// run finds the adversaries for one bound. If a linear classifier of two classes reads the
// weighted sum, the margin is linear in the weights and Farthest gives the exact answer.
// For other models its answer may lie beyond the bound, so the search continues from it.
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
	if err != nil {
		return err
	}
	reached, err := a.moveTo(target, epsilon)
	if err == nil && !reached && !exact(a.model) { // a linear model misses its target only by rounding
		err = a.onTwoWords(epsilon)
	}
	if err != nil {
		return err
	}
	if err := a.reweigh(a.best); err != nil {
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

// moveTo goes from the model's own weights towards a target as far as the bound allows,
// by bisection. It reports whether all reviews reached their target.
func (a *attack) moveTo(target [][]float64, epsilon float64) (reached bool, err error) {
	n := len(target)
	at, low, high := slices.Repeat([]float64{1}, n), make([]float64, n), slices.Repeat([]float64{1}, n) // of the way; within and beyond the bound
	for step := 0; ; step++ {
		done := true
		err := a.try(epsilon, func(k int, to []float64) {
			for i, w := range a.own[k] {
				to[i] = w + float64(at[k]*(target[k][i]-w))
			}
		}, func(k int, within bool) {
			if within {
				low[k] = at[k]
			} else {
				high[k] = at[k]
			}
			if low[k] < 1 {
				at[k], done = (low[k]+high[k])/2, false
			}
		})
		if err != nil || done || step == lineSteps {
			return done && step == 0, err
		}
	}
}

// onTwoWords puts all weight on two words. It takes the pair that is farthest away if the
// margin moves linearly between the margins of the two words alone, and halves the way
// between the two until the answer is within the bound. That ends because the margin is
// continuous.
func (a *attack) onTwoWords(epsilon float64) error {
	if err := a.askWordsAlone(); err != nil {
		return err
	}
	type search struct {
		twoWords
		low, high float64
		open      bool
	}
	list := make([]search, len(a.own))
	err := a.each(func(k int) {
		low, high := band(a.margin[k], withinBound*epsilon)
		list[k].high = 1
		list[k].twoWords, list[k].open = farthest(a.own[k], a.alone[k], low, high)
	})
	open := func(s search) bool { return s.open }
	for n := 0; n < bisections && err == nil && slices.ContainsFunc(list, open); n++ {
		err = a.try(epsilon, func(k int, to []float64) {
			if copy(to, a.best[k]); list[k].open {
				list[k].Weights(to)
			}
		}, func(k int, within bool) {
			s := &list[k]
			switch rises := a.alone[k][s.J] > a.alone[k][s.I]; {
			case !s.open || within:
				s.open = false
			case (a.marginNow(k) < a.margin[k]) == rises:
				s.low = s.T
			default:
				s.high = s.T
			}
			s.T = (s.low + s.high) / 2
		})
	}
	return err
}

// try asks the network with the weights that set writes for each review, and keeps those within
// the bound if they are farther away than the best so far. Weights found for a lower bound
// also hold for a higher one.
func (a *attack) try(epsilon float64, set func(k int, to []float64), heard func(k int, within bool)) error {
	err := a.each(func(k int) { set(k, a.tried[k]) })
	if err == nil {
		err = a.reweigh(a.tried)
	}
	for k := 0; k < len(a.own) && err == nil; k++ {
		within := a.change(k) <= epsilon
		if within && jensenShannon(a.own[k], a.tried[k]) > jensenShannon(a.own[k], a.best[k]) {
			copy(a.best[k], a.tried[k])
		}
		heard(k, within)
	}
	return err
}

// askWordsAlone computes the margin with all weight on each word.
func (a *attack) askWordsAlone() error {
	if a.alone != nil {
		return nil
	}
	longest := 0
	for _, w := range a.own {
		a.alone = append(a.alone, make([]float64, len(w)))
		longest = max(longest, len(w))
	}
	for i := range longest {
		for _, list := range a.tried {
			clear(list)
			list[min(i, len(list)-1)] = 1
		}
		if err := a.reweigh(a.tried); err != nil {
			return err
		}
		for k, list := range a.alone {
			list[min(i, len(list)-1)] = a.marginNow(k)
		}
	}
	return nil
}

func (a *attack) each(do func(k int)) error { return a.model.Pool().For(len(a.own), do) }

// reweigh runs the rest of the network with these weights.
func (a *attack) reweigh(to [][]float64) error {
	return a.batch.Reweigh(func(k int, weights []float32) { copy(weights, infer.Float32s(to[k])) })
}

// change is the total variation between the present probabilities and the model's own.
func (a *attack) change(k int) float64 { return totalVariation(a.p[k], a.batch.P(k)) }

func (a *attack) marginNow(k int) float64 { return scores.Margin(a.batch.Logits(k), a.class[k]) }

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
