package ops

import "imdbexp/internal/simd"

// additiveScores scores the keys of a pair against one query at a time,
// sⱼ = v·tanh(q + kⱼ), forwards and backwards. Every pass is one kernel call
// over the n·a elements, which stay in the first-level cache. The zero value is ready.
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

// attend sets alpha [n] to the softmax of the scores and logs to its logarithm, and
// returns its entropy.
func (s *additiveScores) attend(alpha, logs, q, keys, v []float32) (entropy float32) {
	simd.DotRows(logs, s.between(q, keys), len(v), len(v), v)
	return softmaxEntropy(alpha, logs)
}

// backward computes the gradients from ds [n], the gradient of one query's scores. It adds
// to dk [n, a] and dv [a] and sets dq [a], which may be the same slice as q.
// With tⱼ = tanh(q + kⱼ):
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

// softmaxGradOf turns g [n], the gradient of one row's weights, into the gradient of the
// scores, in place. h is the gradient of the entropy.
func softmaxGradOf(g, alpha, logs []float32, entropy, h float32) []float32 {
	softmaxGrad(g, alpha, g, simd.Dot(alpha, g), logs, entropy, h)
	return g
}
