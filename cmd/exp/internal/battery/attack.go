package battery

import (
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/adversary"
	"imdbexp/internal/infer"
)

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
	}
	a.best = slices.Clone(a.own)
	return a, nil
}

// run finds the adversaries for one bound. If a linear classifier of two classes reads the
// weighted sum, the margin is linear in the weights and Farthest gives the exact answer.
// For other models its answer may lie beyond the bound, so the search continues from it.
func (a *attack) run(epsilon float64, group []int, out *adversaries) error {
	target := make([][]float64, len(a.own))
	err := a.each(func(k int) {
		low, high := adversary.Band(a.margin[k], withinBound*epsilon)
		rest := a.margin[k] - dot(a.own[k], a.slopes[k])
		target[k] = a.own[k]
		if found, ok := adversary.Farthest(a.own[k], a.slopes[k], low-rest, high-rest); ok {
			target[k] = make([]float64, len(a.own[k]))
			found.Weights(target[k])
		}
	})
	if err != nil {
		return err
	}
	reached, err := a.moveTo(target, epsilon)
	linear := a.model.Linear() && len(a.p[0]) == 2
	if err == nil && !reached && !linear { // a linear model misses its target only by rounding
		err = a.onTwoWords(epsilon)
	}
	if err != nil {
		return err
	}
	out.exact = out.exact && linear
	if err := a.reweigh(a.best); err != nil {
		return err
	}
	for k, i := range group {
		w, err := a.batch.Attention(k)
		if err != nil {
			return err
		}
		out.distance[i], out.change[i] = adversary.Distance(a.own[k], float64s(w)), a.change(k)
	}
	return nil
}

// moveTo goes from the model's own weights towards a target as far as the bound allows,
// by bisection. It reports whether all reviews reached their target.
func (a *attack) moveTo(target [][]float64, epsilon float64) (reached bool, err error) {
	type fraction struct{ within, beyond, next float64 } // of the way
	steps, tried := make([]fraction, len(target)), make([][]float64, len(target))
	for k := range target {
		steps[k], tried[k] = fraction{0, 1, 1}, make([]float64, len(target[k]))
	}
	for reached = true; ; reached = false {
		err := a.each(func(k int) {
			for i, w := range a.own[k] {
				tried[k][i] = w + float64(steps[k].next*(target[k][i]-w))
			}
		})
		if err == nil {
			err = a.reweigh(tried)
		}
		if err != nil {
			return false, err
		}
		done := true
		for k := range steps {
			s := &steps[k]
			switch {
			case s.next == s.within: // finished before
			case a.change(k) <= epsilon:
				s.within = s.next
				a.keep(k, tried[k])
			default:
				s.beyond = s.next
			}
			s.next = s.within
			if s.beyond-s.within > lineStep && s.within < 1 {
				s.next, done = (s.within+s.beyond)/2, false
			}
		}
		if done {
			return reached, nil
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
		adversary.Two
		low, high float64
		open      bool
	}
	list, tried := make([]search, len(a.own)), make([][]float64, len(a.own))
	err := a.each(func(k int) {
		tried[k] = slices.Clone(a.own[k])
		low, high := adversary.Band(a.margin[k], withinBound*epsilon)
		list[k].high = 1
		list[k].Two, list[k].open = adversary.Farthest(a.own[k], a.alone[k], low, high)
	})
	if err != nil {
		return err
	}
	for range bisections {
		if !slices.ContainsFunc(list, func(s search) bool { return s.open }) {
			return nil
		}
		err := a.each(func(k int) {
			if list[k].open {
				list[k].Weights(tried[k])
			}
		})
		if err == nil {
			err = a.reweigh(tried)
		}
		if err != nil {
			return err
		}
		for k := range list {
			s := &list[k]
			switch rises := a.alone[k][s.J] > a.alone[k][s.I]; {
			case !s.open:
				continue
			case a.change(k) <= epsilon:
				s.open = false
				a.keep(k, tried[k])
				continue
			case (a.marginNow(k) < a.margin[k]) == rises:
				s.low = s.T
			default:
				s.high = s.T
			}
			s.T = (s.low + s.high) / 2
		}
	}
	return nil
}

// keep records weights within the bound if they are farther away than the best so far.
// Weights found for a lower bound also hold for a higher one.
func (a *attack) keep(k int, weights []float64) {
	if adversary.Distance(a.own[k], weights) > adversary.Distance(a.own[k], a.best[k]) {
		a.best[k] = slices.Clone(weights)
	}
}

// askWordsAlone computes the margin with all weight on each word.
func (a *attack) askWordsAlone() error {
	if a.alone != nil {
		return nil
	}
	a.alone = make([][]float64, len(a.own))
	weights, longest := make([][]float64, len(a.own)), 0
	for k, w := range a.own {
		a.alone[k], weights[k] = make([]float64, len(w)), make([]float64, len(w))
		longest = max(longest, len(w))
	}
	for i := range longest {
		for _, list := range weights {
			clear(list)
			list[min(i, len(list)-1)] = 1
		}
		if err := a.reweigh(weights); err != nil {
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
	return a.batch.Reweigh(func(k int, weights []float32) {
		for i := range weights {
			weights[i] = float32(to[k][i])
		}
	})
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
