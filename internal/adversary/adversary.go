// Package adversary finds the attention weights farthest from given ones that hardly change the
// prediction (Jain and Wallace 2019, Attention is not Explanation, section 4.2.2). Its numbers have
// the same bits on every processor.
package adversary

import (
	"cmp"
	"math"
	"slices"

	"imdbexp/internal/simd"
)

// Two is a distribution over the words of a text with at most two words of positive probability:
// 1−T for word I and T for word J.
type Two struct {
	I, J     int
	T        float64
	Distance float64 // Jensen–Shannon divergence from the given weights, in nats
}

// Weights sets dst to the probability of each word.
func (a Two) Weights(dst []float64) {
	clear(dst)
	dst[a.I] += 1 - a.T
	dst[a.J] += a.T
}

// Farthest returns the distribution α over n words with lo ≤ Σ αᵢ wᵢ ≤ hi that has the largest
// Jensen–Shannon divergence from base. ok is false if no α fits. Σ baseᵢ wᵢ must be
// between lo and hi, up to rounding.
//
// The result is exact. The divergence is convex in α, like every f-divergence, and the allowed α
// form a polytope: the simplex, cut by two parallel planes. So the maximum is at a corner. At a
// corner n−1 independent bounds hold with equality. Besides Σ αᵢ = 1 only one of the planes can be
// among them, so at least n−2 weights are 0. It is enough to try each allowed single word, and
// for each pair of words both ends of the allowed range between them.
//
// The words are tried by rising base weight, until no other word can be part of a larger maximum:
// see single. The divergence of a pair is at most the weighted mean of the divergences of its
// words, which saves most logarithms.
func Farthest(base, w []float64, lo, hi float64) (best Two, ok bool) {
	order, alone := make([]int, len(base)), make([]float64, len(base))
	for i, b := range base {
		order[i], alone[i] = i, single(b)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(base[i], base[j]) })
	best.Distance = -1
	for at, i := range order {
		if alone[i] <= best.Distance {
			break
		}
		if lo <= w[i] && w[i] <= hi {
			return Two{I: i, J: i, Distance: alone[i]}, true
		}
		for _, j := range order[at+1:] {
			t1, t2, some := between(w[i], w[j], lo, hi)
			if !some {
				continue
			}
			for _, t := range [...]float64{t1, t2} {
				if float64((1-t)*alone[i])+float64(t*alone[j]) <= best.Distance {
					continue
				}
				if d := pair(base[i], base[j], t); d > best.Distance {
					best, ok = Two{I: i, J: j, T: t, Distance: d}, true
				}
			}
		}
	}
	return best, ok
}

// between returns which t in [0, 1] have lo ≤ (1−t) a + t b ≤ hi.
func between(a, b, lo, hi float64) (from, to float64, some bool) {
	switch {
	case max(a, b) < lo, min(a, b) > hi:
		return 0, 0, false
	case a == b:
		return 0, 1, true
	}
	from, to = (lo-a)/(b-a), (hi-a)/(b-a)
	if from > to {
		from, to = to, from
	}
	from, to = max(from, 0), min(to, 1)
	return from, to, from <= to
}

// single is the divergence from base of a single word, whose base weight is b: the
// larger the smaller b is. No distribution over words whose base weights are b at least
// is farther: it is a mean of single words, and the divergence is convex.
func single(b float64) float64 { return pair(b, 0, 0) }

// pair is the divergence of 1−t on one word and t on another, with base weights b and c.
// A word without weight adds half of its base weight times log 2.
func pair(b, c, t float64) float64 {
	return float64(math.Ln2/2*max(0, 1-b-c)) + part(1-t, b) + part(t, c)
}

// part is the contribution of one word to a divergence: half of a log(a/m) + b log(b/m), where m is
// the mean of the two.
func part(a, b float64) float64 {
	m, sum := (a+b)/2, 0.0
	if a > 0 {
		sum += float64(a * simd.Log64(a/m))
	}
	if b > 0 {
		sum += float64(b * simd.Log64(b/m))
	}
	return sum / 2
}

// Distance is the Jensen–Shannon divergence of two distributions in nats, from 0 to
// log 2.
func Distance(p, q []float64) float64 {
	sum := 0.0
	for i, a := range p {
		sum += part(a, q[i])
	}
	return max(0, sum)
}

// Band returns which log-odds, log p/(1−p), change p by no more than epsilon.
func Band(logodds, epsilon float64) (lo, hi float64) {
	p, q := 1/(1+simd.Exp64(-logodds)), 1/(1+simd.Exp64(logodds)) // q is 1−p, exact where p is near 1
	return logit(p-epsilon, q+epsilon), logit(p+epsilon, q-epsilon)
}

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
