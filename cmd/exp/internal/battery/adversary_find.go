package battery

import (
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/adversary"
)

// faced is a batch of reviews for which adversaries are looked for.
type faced struct {
	s       *Subject
	batch   *infer.Batch
	class   []int       // predicted
	base    [][]float64 // weights
	slopes  [][]float64 // of the margin of that class, by the weights
	singles [][]float64 // the margin with all weight on one word; nil until they are wanted
	best    [][]float64 // the farthest weights so far
	p       [][]float32
	margin  []float64
}

// face asks about a batch.
func (s *Subject) face(g *infer.Gradients, list []infer.Encoded, group []int) (*faced, error) {
	texts := make([]infer.Encoded, len(group))
	f := &faced{s: s, slopes: make([][]float64, len(group)), margin: make([]float64, len(group))}
	for k, i := range group {
		texts[k], f.class = list[i], append(f.class, s.Texts[i].Class)
	}
	err := g.Run(texts, func(k int) int { return f.class[k] }, func(k int, d infer.Derived) {
		f.margin[k], f.slopes[k] = float64(d.Margin), wide(d.Weights)
	})
	if err != nil {
		return nil, err
	}
	if f.batch, err = s.Model.Run(texts); err != nil {
		return nil, err
	}
	for k := range group {
		w, err := f.batch.Attention(k)
		if err != nil {
			return nil, err
		}
		f.base, f.p = append(f.base, wide(w)), append(f.p, slices.Clone(f.batch.P(k)))
	}
	f.best = slices.Clone(f.base)
	return f, nil
}

func wide(list []float32) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = float64(x)
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// adversaries finds those of a batch for a bound. Where a linear classifier of two classes
// reads the weighted sum, the margin rises with the weights everywhere as it does at the
// model's own, and what Farthest returns is what was looked for. Of other models it may
// lie beyond the bound: see along and between.
func (f *faced) adversaries(epsilon float64, group []int, out *adversaries) error {
	target := make([][]float64, len(f.base))
	err := f.each(func(k int) {
		lo, hi := adversary.Band(f.margin[k], withinBound*epsilon)
		rest := f.margin[k] - dot(f.base[k], f.slopes[k])
		if found, ok := adversary.Farthest(f.base[k], f.slopes[k], lo-rest, hi-rest); ok {
			target[k] = make([]float64, len(f.base[k]))
			found.Weights(target[k])
		} else {
			target[k] = f.base[k]
		}
	})
	if err != nil {
		return err
	}
	straight, err := f.along(epsilon, target)
	linear := f.s.Model.Linear() && len(f.p[0]) == 2
	if err == nil && !straight && !linear { // else it was rounding
		err = f.between(epsilon)
	}
	if err != nil {
		return err
	}
	out.exact = out.exact && linear
	if err := f.reweigh(f.best); err != nil {
		return err
	}
	for k, i := range group {
		w, err := f.batch.Attention(k)
		if err != nil {
			return err
		}
		out.distance[i], out.change[i] = adversary.Distance(f.base[k], wide(w)), f.change(k)
	}
	return nil
}

// along goes from the model's weights to a target as far as the bound allows. It reports whether it came to the target with every review.
func (f *faced) along(epsilon float64, target [][]float64) (straight bool, err error) {
	n := len(target)
	within, beyond, now, tried := make([]float64, n), make([]float64, n), make([]float64, n), make([][]float64, n)
	for k := range target {
		beyond[k], now[k], tried[k] = 1, 1, make([]float64, len(target[k]))
	}
	for straight = true; ; straight = false {
		err := f.each(func(k int) {
			for i, b := range f.base[k] {
				tried[k][i] = b + float64(now[k]*(target[k][i]-b))
			}
		})
		if err == nil {
			err = f.reweigh(tried)
		}
		if err != nil {
			return false, err
		}
		left := false
		for k := range now {
			switch {
			case now[k] == within[k]:
			case f.change(k) <= epsilon:
				within[k] = now[k]
				f.keep(k, tried[k])
			default:
				beyond[k] = now[k]
			}
			now[k] = within[k]
			if beyond[k]-within[k] > lineStep && within[k] < 1 {
				now[k], left = (within[k]+beyond[k])/2, true
			}
		}
		if !left {
			return straight, nil
		}
	}
}

// between looks for adversaries on two words, as if the margin went straight from that of
// one to that of the other; then it halves the way between the two until the answer is
// within the bound, which happens, since the margin is continuous.
func (f *faced) between(epsilon float64) error {
	if err := f.findSingles(); err != nil {
		return err
	}
	n := len(f.base)
	lo, hi, low, high := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	two, tried, open := make([]adversary.Two, n), make([][]float64, n), make([]bool, n)
	err := f.each(func(k int) {
		tried[k], high[k] = slices.Clone(f.base[k]), 1
		lo[k], hi[k] = adversary.Band(f.margin[k], withinBound*epsilon)
		two[k], open[k] = adversary.Farthest(f.base[k], f.singles[k], lo[k], hi[k])
	})
	for step := 0; err == nil && step < bisections && slices.Contains(open, true); step++ {
		if err = f.each(func(k int) {
			if open[k] {
				two[k].Weights(tried[k])
			}
		}); err != nil {
			break
		}
		if err = f.reweigh(tried); err != nil {
			break
		}
		for k := range two {
			if !open[k] {
				continue
			}
			if f.change(k) <= epsilon {
				open[k] = false
				f.keep(k, tried[k])
				continue
			}
			rises := f.singles[k][two[k].J] > f.singles[k][two[k].I]
			if (f.marginNow(k) < f.margin[k]) == rises {
				low[k] = two[k].T
			} else {
				high[k] = two[k].T
			}
			two[k].T = (low[k] + high[k]) / 2
		}
	}
	return err
}

// keep takes over weights that are within the bound, if they are farther than what was
// there. What was found for a lower bound holds for a higher one.
func (f *faced) keep(k int, weights []float64) {
	if adversary.Distance(f.base[k], weights) > adversary.Distance(f.base[k], f.best[k]) {
		f.best[k] = slices.Clone(weights)
	}
}

// findSingles asks about each word alone.
func (f *faced) findSingles() error {
	if f.singles != nil {
		return nil
	}
	f.singles = make([][]float64, len(f.base))
	alone, longest := make([][]float64, len(f.base)), 0
	for k, b := range f.base {
		f.singles[k], alone[k] = make([]float64, len(b)), make([]float64, len(b))
		longest = max(longest, len(b))
	}
	for i := range longest {
		for _, list := range alone {
			clear(list)
			list[min(i, len(list)-1)] = 1
		}
		if err := f.reweigh(alone); err != nil {
			return err
		}
		for k, list := range f.singles {
			list[min(i, len(list)-1)] = f.marginNow(k)
		}
	}
	return nil
}

func (f *faced) each(do func(k int)) error { return f.s.Model.Pool().For(len(f.base), do) }

// reweigh has the network answer with these weights.
func (f *faced) reweigh(to [][]float64) error {
	return f.batch.Reweigh(func(k int, weights []float32) {
		for i := range weights {
			weights[i] = float32(to[k][i])
		}
	})
}

// change is how far the answer is from that with the model's own weights.
func (f *faced) change(k int) float64 { return totalVariation(f.p[k], f.batch.P(k)) }

func (f *faced) marginNow(k int) float64 { return scores.Margin(f.batch.Logits(k), f.class[k]) }
