package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/report/stats"
)

var permutation = Test{
	Name: "permutation", Title: "Permutation", Source: "Jain and Wallace 2019, section 4.2.1",
	Method:  fmt.Sprintf("Shuffles the weights of each review among its words, %d times, and measures how far the probabilities move (total variation, 0 to 1). The median over the shuffles is the review's number. If large weights can be shuffled and the answer stays, it did not depend on which words had them.", permutations),
	Limits:  "Only the weights change. The states that they weigh stay the same, and have read the words around them, so an answer may stay because every state carries it (Wiegreffe and Pinter 2019, section 4).",
	Version: 1,
	lacks:   pools,
	run:     runPermutation,
}

const permutations = 100

// pools returns why a model has no single weight per word that could be changed.
func pools(m *infer.Model) string {
	switch {
	case m.Pools():
		return ""
	case m.Members() > 1 && m.Attends():
		return fmt.Sprintf("each of its %d networks has its own weights, so the model has no single distribution. A run with members=1 has one", m.Members())
	case m.Depth() > 0:
		return "each word of a layer of self-attention has its own weights over all words, so the model has no single distribution. With pool=attention it has one"
	}
	return attends(m)
}

func runPermutation(ctx context.Context, s *Subject) (*Result, error) {
	change, largest := make([]float64, len(s.Texts)), make([]float64, len(s.Texts))
	err := s.eachBatch(ctx, "shuffling weights", func(group []int, texts []infer.Encoded) error {
		return s.permute(group, texts, change, largest)
	})
	if err != nil {
		return nil, err
	}
	r := &Result{}
	r.meanOf("median change", "", "", change)
	r.shareOf("reviews that move by 0.1", "", "", atLeast(change, 0.1))
	r.meanOf("largest weight", "", "", largest)
	s.byClass(r, "median change by part", "", change)
	return r, nil
}

// permute fills in the change and the largest weight of the reviews of a batch.
func (s *Subject) permute(group []int, texts []infer.Encoded, change, largest []float64) error {
	b, err := s.Model.Run(texts)
	if err != nil {
		return err
	}
	before, random, moved := make([][]float32, len(group)), make([]*rand.Rand, len(group)), make([][]float64, len(group))
	for k, i := range group {
		before[k], moved[k] = slices.Clone(b.P(k)), make([]float64, permutations)
		random[k] = rand.New(rand.NewPCG(s.o.seed, uint64(s.Texts[i].Number)))
		w, err := b.Attention(k)
		if err != nil {
			return err
		}
		largest[i] = float64(slices.Max(w))
	}
	for t := range permutations {
		err := b.Reweigh(func(k int, weights []float32) {
			random[k].Shuffle(len(weights), func(i, j int) { weights[i], weights[j] = weights[j], weights[i] })
		})
		if err != nil {
			return err
		}
		for k := range group {
			moved[k][t] = totalVariation(before[k], b.P(k))
		}
	}
	for k, i := range group {
		change[i] = stats.Median(moved[k])
	}
	return nil
}

// totalVariation returns ½ Σ|pᵢ − qᵢ|.
func totalVariation(p, q []float32) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Abs(float64(p[i]) - float64(q[i]))
	}
	return sum / 2
}

var adversarial = Test{
	Name: "adversary", Title: "Adversarial attention", Source: "Jain and Wallace 2019, section 4.2.2",
	Method: fmt.Sprintf("Finds for each review the weights that are farthest from the model's (Jensen–Shannon divergence, 0 to log 2 = %.3f) among all that change its probabilities by at most ε (total variation). If they are far away, the same answer could have been shown with other words marked. "+
		"A linear classifier of two classes reads the weighted sum, so they are computed exactly instead of searched for. The answer is the network's own with these weights, so ε holds for every review.", math.Ln2),
	Limits:  "That other weights give the same answer does not say that a model could have learned them for all reviews at once: each review gets its own, without the part of the model that computes weights (Wiegreffe and Pinter 2019, section 4). With two classes the probability is one number, and hundreds of weights can reach it in many ways.",
	Version: 2,
	ranges:  map[string]stats.Interval{"divergence": divergence, "divergence by part": divergence},
	lacks:   notLinear,
	run:     runAdversary,
}

// notLinear returns why a model has no learned weights that its margin is linear in.
func notLinear(m *infer.Model) string {
	switch why := pools(m); {
	case why != "":
		return why
	case !m.LearnsWeights():
		return "the weights of its attention are not learned"
	case !m.Linear() || len(m.Classes) != 2:
		return "its logits are not linear in the weights, or it has more than two classes, so the farthest weights cannot be computed"
	}
	return ""
}

// epsilons are the bounds of the sweep; usualEpsilon is the bound of Jain and Wallace 2019
// for classes.
var epsilons = []float64{0.001, 0.003, 0.01, 0.03, 0.1}

const (
	usualEpsilon = 0.01
	farAway      = 0.6 // nats, of at most log 2; also in farReviews
	farReviews   = "reviews at 0.6 or more"

	// The weights stay a little below ε, because the network answers in float32.
	withinBound = 0.999
	lineSteps   = 14 // halvings of the way
)

func runAdversary(ctx context.Context, s *Subject) (*Result, error) {
	n := len(epsilons)
	distance, change := make([][]float64, n), make([][]float64, n) // [ε][review] of the weights found from the model's own, and of the answers
	for e := range epsilons {
		distance[e], change[e] = make([]float64, len(s.Texts)), make([]float64, len(s.Texts))
	}
	g, err := s.Model.Gradients(false)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	err = s.eachBatch(ctx, "looking for adversaries", func(group []int, texts []infer.Encoded) error {
		a, err := s.newAttack(g, group, texts)
		for e := 0; e < n && err == nil; e++ {
			err = a.run(epsilons[e], group, distance[e], change[e])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Notes: []string{"exact up to float32 rounding: no weights within ε are farther from the model's"}}
	for e, epsilon := range epsilons {
		bound := fmt.Sprintf("ε = %g", epsilon)
		if epsilon == usualEpsilon {
			s.byClass(r, "divergence by part", "", distance[e])
		}
		r.meanOf("divergence", bound, "", distance[e])
		r.shareOf(farReviews, bound, "", atLeast(distance[e], farAway))
		r.add("largest change", bound, "", len(s.Texts), slices.Max(change[e]), math.NaN(), math.NaN())
	}
	return r, nil
}

// twoWords is a distribution over the words of a text with at most two words of positive probability:
// 1−T for word I and T for word J.
type twoWords struct {
	I, J     int
	T        float64
	Distance float64 // Jensen–Shannon divergence from the given weights, in nats
}

// Weights sets dst to the probability of each word.
func (a twoWords) Weights(dst []float64) {
	clear(dst)
	dst[a.I] += 1 - a.T
	dst[a.J] += a.T
}

// farthest returns the distribution α over n words with lo ≤ Σ αᵢ wᵢ ≤ hi that has the largest
// Jensen–Shannon divergence from base. ok is false if no α fits. Σ baseᵢ wᵢ must be
// between lo and hi, up to rounding.
//
// The result is exact. The divergence is convex in α, like every f-divergence, and the allowed α
// form a polytope: the simplex, cut by two parallel planes. So the maximum is at a corner. At a
// corner n−1 independent bounds hold with equality. Besides Σ αᵢ = 1 only one of the planes can be
// among them, so at least n−2 weights are 0. It is enough to try each allowed single word, and
// for each pair of words both ends of the allowed range between them.
//
// The words are tried by rising base weight, so by falling divergence of a single word. By convexity
// a distribution is at most as far as the weighted mean of its single words. So the search stops at a
// word that is no farther than the best, and skips pairs whose mean is no farther: most of them.
func farthest(base, w []float64, lo, hi float64) (best twoWords, ok bool) {
	order, alone := make([]int, len(base)), make([]float64, len(base))
	for i, b := range base {
		order[i], alone[i] = i, pairDivergence(b, 0, 0)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(base[i], base[j]) })
	best.Distance = -1
	for at, i := range order {
		if alone[i] <= best.Distance {
			break
		}
		if lo <= w[i] && w[i] <= hi {
			return twoWords{I: i, J: i, Distance: alone[i]}, true
		}
		for _, j := range order[at+1:] {
			t1, t2, some := betweenWords(w[i], w[j], lo, hi)
			if !some {
				continue
			}
			for _, t := range [...]float64{t1, t2} {
				if float64((1-t)*alone[i])+float64(t*alone[j]) <= best.Distance {
					continue
				}
				if d := pairDivergence(base[i], base[j], t); d > best.Distance {
					best, ok = twoWords{I: i, J: j, T: t, Distance: d}, true
				}
			}
		}
	}
	return best, ok
}

// betweenWords returns which t in [0, 1] have lo ≤ (1−t) a + t b ≤ hi.
func betweenWords(a, b, lo, hi float64) (from, to float64, some bool) {
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

// pairDivergence is the divergence of 1−t on one word and t on another, with base weights b and c.
// A word without weight adds half of its base weight times log 2.
func pairDivergence(b, c, t float64) float64 {
	return float64(math.Ln2/2*max(0, 1-b-c)) + contribution(1-t, b) + contribution(t, c)
}

// contribution is the contribution of one word to a divergence: half of a log(a/m) + b log(b/m), where m is
// the mean of the two.
func contribution(a, b float64) float64 {
	m, sum := (a+b)/2, 0.0
	if a > 0 {
		sum += float64(a * simd.Log64(a/m))
	}
	if b > 0 {
		sum += float64(b * simd.Log64(b/m))
	}
	return sum / 2
}

// jensenShannon is the Jensen–Shannon divergence of two distributions in nats, from 0 to
// log 2.
func jensenShannon(p, q []float64) float64 {
	sum := 0.0
	for i, a := range p {
		sum += contribution(a, q[i])
	}
	return max(0, sum)
}

// band returns which log-odds, log p/(1−p), change p by no more than epsilon.
func band(logodds, epsilon float64) (lo, hi float64) {
	p, q := 1/(1+simd.Exp64(-logodds)), 1/(1+simd.Exp64(logodds)) // q is 1−p, exact where p is near 1
	return logit(p-epsilon, q+epsilon), logit(p+epsilon, q-epsilon)
}
