package ops

import (
	"math"
	"slices"

	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// Normaliser is how the scores s of a review's words become weights that add up to one: α-entmax
// (Peters et al. 2019, Sparse Sequence-to-Sequence Models). α = 1 is softmax, α = 2 is sparsemax
// (Martins and Astudillo 2016), and 1.5 lies between them. With the exponent r = 1/(α−1)
//
//	zᵢ = (α−1)·(sᵢ − max s)    wᵢ = max(zᵢ − τ, 0)ʳ    with the τ for which Σ wᵢ = 1
//
// Word i has a weight above 0 exactly if Σⱼ max(zⱼ − zᵢ, 0)ʳ < 1. The gradient of the scores is
//
//	∂sᵢ = uᵢ (gᵢ − Σ uⱼ gⱼ / Σ uⱼ)    uᵢ = wᵢ²⁻ᵅ where wᵢ > 0, otherwise 0
type Normaliser int

// The normalisers.
const (
	Softmax Normaliser = iota
	Entmax15
	Sparsemax
)

// String returns the name in equations.
func (n Normaliser) String() string { return [...]string{"softmax", "1.5-entmax", "sparsemax"}[n] }

// Formula says how a weight is computed from the scaled scores.
func (n Normaliser) Formula() string {
	return [...]string{
		"exp(scaled)/Σ exp: the softmax over the words", "max(scaled/2 − τ, 0)²: 1.5-entmax over the words", "max(scaled − τ, 0): sparsemax over the words",
	}[n]
}

// Slope returns the trace of the derivative of the weights by the scores: how much the weights
// change with the scores, from 0 if one word has all. It is 1 − Σα² for softmax.
func (n Normaliser) Slope(weights []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		u := w
		if n == Entmax15 {
			u = math.Sqrt(w)
		} else if n == Sparsemax && w > 0 {
			u = 1
		}
		sum += u
		squares += float64(u * u)
	}
	return sum - squares/sum
}

// Normalise sets the normaliser of the op Attend that n is a result of.
func (n *Node) Normalise(by Normaliser) {
	if n.src == nil {
		return
	}
	if k, ok := n.src.k.(*attend); ok {
		k.by = by
	} else if by != Softmax {
		n.g.fail("%s is for attend, not for %s", by, n.src.name)
	}
}

// scaled returns z of a score. Subtraction and scaling are exact enough in float64 for any float32.
func (n Normaliser) scaled(score, largest float64) float64 {
	if n == Entmax15 {
		return (score - largest) / 2
	}
	return score - largest
}

// power returns xʳ.
func (n Normaliser) power(x float64) float64 {
	if n == Entmax15 {
		return x * x
	}
	return x
}

// tau returns τ if exactly the words of k scores z have weights above 0. squares is Σ z².
func (n Normaliser) tau(k int, sum, squares float64) float64 {
	mean := sum / float64(k)
	if n == Sparsemax {
		return mean - 1/float64(k)
	}
	return mean - math.Sqrt(max(1-squares+float64(sum*mean), 0)/float64(k))
}

// weigh sets alpha to the weights of the scores, turns the scores into the logarithm of the
// weights, at least log minWeight, and returns the entropy in nats. z is a buffer of the same length.
func (n Normaliser) weigh(alpha, scores []float32, z []float64) (entropy float32) {
	if n == Softmax {
		return softmaxEntropy(alpha, scores)
	}
	largest, candidates := float64(simd.Max(scores)), 0
	for _, s := range scores {
		if v := n.scaled(float64(s), largest); v > -1 { // τ ≥ −1
			z[candidates] = v
			candidates++
		}
	}
	tau := n.threshold(z[:candidates])
	for i, s := range scores {
		alpha[i] = float32(n.power(max(n.scaled(float64(s), largest)-tau, 0)))
	}
	return logEntropy(scores, alpha)
}

// threshold returns τ of the scores z, which it sorts; NaN if there are none.
func (n Normaliser) threshold(z []float64) float64 {
	slices.Sort(z)
	tau, sum, squares := math.NaN(), 0.0, 0.0
	for i, v := range slices.Backward(z) {
		sum += v
		squares += float64(v * v)
		t := n.tau(len(z)-i, sum, squares)
		if t >= v {
			break
		}
		tau = t
	}
	return tau
}

// grad sets ds to the gradient of the scores. g is the gradient of the weights alpha, nil if they
// have none; dh is the gradient of their entropy.
func (n Normaliser) grad(ds, alpha, g, logs []float32, dh float32) {
	var sum, total float64
	at := func(i int) (u, d float32) {
		if u = alpha[i]; u > 0 && n == Sparsemax {
			u = 1
		} else if u > 0 {
			u = float32(math.Sqrt(float64(u)))
		}
		if g != nil {
			d = g[i]
		}
		return u, d - float32(dh*logs[i])
	}
	for i := range alpha {
		u, d := at(i)
		total += float64(u)
		sum += float64(float64(u) * float64(d))
	}
	mean := float32(sum / total)
	for i := range alpha {
		u, d := at(i)
		ds[i] = u * (d - mean)
	}
}

// logEntropy sets logs to the logarithms of weights, those below minWeight counted as minWeight,
// and returns the entropy of the weights in nats.
func logEntropy(logs, weights []float32) float32 {
	floored(logs, weights)
	simd.Log(logs, logs)
	return max(-simd.Dot(weights, logs), 0)
}

// exact turns scores into weights in place, by the condition for a weight above 0.
func (n Normaliser) exact(z []float64) {
	if n == Softmax {
		exactSoftmax(z, z)
		return
	}
	largest := slices.Max(z)
	for i, s := range z {
		z[i] = n.scaled(s, largest)
	}
	k, sum, squares := 0, 0.0, 0.0
	for _, v := range z {
		above := 0.0
		for _, w := range z {
			above += n.power(max(w-v, 0))
		}
		if above < 1 {
			k, sum, squares = k+1, sum+v, squares+float64(v*v)
		}
	}
	tau := n.tau(k, sum, squares)
	for i, v := range z {
		z[i] = n.power(max(v-tau, 0))
	}
}

// normalised returns the weights p of scores [batch, words, 1], and −p log p.
func (x *Export) normalised(by Normaliser, scores string) (p, plogp string) {
	if by == Softmax {
		return x.attend(scores, 1)
	}
	power := func(v string) string { return v }
	reduce := []onnx.Attribute{{Name: "axes", Value: []int64{1}}, {Name: "keepdims", Value: int64(1)}}
	z := x.Op("Sub", scores, x.With("ReduceMax", reduce, scores))
	if by == Entmax15 {
		z = x.Op("Mul", z, x.number("half", 0.5))
		power = func(v string) string { return x.Op("Mul", v, v) }
	}
	one := x.number("one.float", 1)
	above := x.sum(power(x.Op("Relu", x.Op("Sub", x.transpose(z, 0, 2, 1), z))), 2, true) // [batch, words, 1]
	in := x.cast(x.Op("Less", above, one), onnx.Float)
	k, inside := x.sum(in, 1, true), x.Op("Mul", in, z)
	sum := x.sum(inside, 1, true)
	mean, radius := x.Op("Div", sum, k), x.Op("Div", one, k)
	if by == Entmax15 {
		rest := x.Op("Sub", x.Op("Add", one, x.Op("Mul", sum, mean)), x.sum(x.Op("Mul", inside, inside), 1, true))
		radius = x.Op("Sqrt", x.Op("Div", x.Op("Relu", rest), k))
	}
	p = power(x.Op("Relu", x.Op("Sub", z, x.Op("Sub", mean, radius))))
	return p, x.Op("Neg", x.Op("Mul", p, x.Op("Log", x.Op("Max", p, x.number("weight.min", minWeight)))))
}
