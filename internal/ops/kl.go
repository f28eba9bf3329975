package ops

import "imdbexp/internal/simd"

// KL is the Kullback–Leibler divergence between two sets of weights of each review:
//
//	D = Σᵢ αᵢ log(αᵢ/βᵢ)
//
// α and β are [N, 1] and add up to one in each review; the result is [B, 1] in nats.
// The logarithm treats weights below 1e-30 as 1e-30, so that D is finite. KL is
// only for costs.
func KL(alpha, beta *Node) *Node {
	s, ok := alpha.axis.(*Seq)
	if !ok || beta.axis != alpha.axis || alpha.cols != 1 || beta.cols != 1 {
		return alpha.g.fail("divergence: needs two weights a word")
	}
	k := &divergence{onWords: onWords{alpha.g, s}}
	return alpha.g.apply("divergence", k, []*Node{alpha, beta}, result{s.Reviews(), 1})[0]
}

type divergence struct {
	trainingOnly
	onWords
	ratio, base []float32 // [N] log αᵢ/βᵢ, kept for the backward pass; log βᵢ
}

func (k *divergence) forward(in, out []Mat) error {
	alpha, beta := in[0].Data, in[1].Data
	k.ratio, k.base = grown(k.ratio, len(alpha)), grown(k.base, len(alpha))
	return k.each(func(_, b, lo, hi int) {
		r, s := k.ratio[lo:hi], k.base[lo:hi]
		floored(r, alpha[lo:hi])
		floored(s, beta[lo:hi])
		simd.Log(r, r)
		simd.Log(s, s)
		for i := range r {
			r[i] -= s[i]
		}
		out[0].Data[b] = simd.Dot(alpha[lo:hi], r)
	})
}

// backward computes ∂αᵢ = ∂D (log(αᵢ/βᵢ) + 1) and ∂βᵢ = −∂D αᵢ/βᵢ.
func (k *divergence) backward(in, _, dout []Mat, din []Grad) error {
	alpha, beta, dy := in[0].Data, in[1].Data, dout[0].Data
	return k.each(func(_, b, lo, hi int) {
		for i := lo; i < hi; i++ {
			din[0].add(i, float32(dy[b]*(k.ratio[i]+1)))
			if beta[i] > minWeight {
				din[1].add(i, -float32(dy[b]*alpha[i]/beta[i]))
			} else {
				din[1].add(i, 0)
			}
		}
	})
}

// add sets element i of a gradient of one column to d, or adds d to it; an unneeded gradient
// is skipped.
func (g Grad) add(i int, d float32) {
	switch {
	case !g.Wanted():
	case g.Add:
		g.Data[i] += d
	default:
		g.Data[i] = d
	}
}
