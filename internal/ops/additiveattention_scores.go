package ops

import "imdbexp/internal/simd"

// additiveScores scores the keys of a pair against one query after the other,
// sⱼ = v·tanh(q + kⱼ), and goes back through that. Every pass is one call of a kernel
// over the n·a elements, which stay in the first cache. The zero value is ready.
type additiveScores struct {
	tanh []float32 // [n, a] tanh(q + kⱼ)
	sum  []float32 // [n, a] gradient of q + kⱼ
}

// between computes tanh(q + kⱼ) for all keys.
func (s *additiveScores) between(q, keys []float32) []float32 {
	a := len(q)
	s.tanh = grown(s.tanh, len(keys))
	copy(s.tanh, keys)
	simd.AddBias(s.tanh, len(keys)/a, a, a, q)
	simd.Tanh(s.tanh, s.tanh)
	return s.tanh
}

// attend leaves the softmax of the scores in alpha [n] and its logarithm in logs, and
// returns its entropy.
func (s *additiveScores) attend(alpha, logs, q, keys, v []float32) (entropy float32) {
	simd.DotRows(logs, s.between(q, keys), len(v), len(v), v)
	return softmaxEntropy(alpha, logs)
}

// backward goes on from the gradient ds [n] of one query's scores: it adds those of
// the keys and of v to dk [n, a] and dv [a], and sets dq [a] to that of the query,
// which may be q itself. With tⱼ = tanh(q + kⱼ):
//
//	∂v = Σⱼ ∂sⱼ tⱼ    ∂kⱼ = ∂sⱼ v⊙(1 − tⱼ²)    ∂q = Σⱼ ∂kⱼ
func (s *additiveScores) backward(ds, q, keys, v, dq, dk, dv []float32) {
	n, a := len(ds), len(v)
	t := s.between(q, keys)
	simd.NN(1, a, n, ds, n, t, a, dv, a, true)
	s.sum = grown(s.sum, n*a)
	outer(s.sum, ds, v, false)
	simd.Mul(t, t, t)
	simd.Mul(t, t, s.sum)
	simd.Axpy(s.sum, -1, t)
	simd.ColumnSums(dq, s.sum, n, a, a, false)
	simd.Add(dk, s.sum)
}

// softmaxGradOf turns the gradient g [n] of one row's weights, and h, that of their
// entropy, into the gradient of the scores, in place.
func softmaxGradOf(g, alpha, logs []float32, entropy, h float32) []float32 {
	softmaxGrad(g, alpha, g, simd.Dot(alpha, g), logs, entropy, h)
	return g
}
