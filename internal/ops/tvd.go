package ops

import "imdbexp/internal/simd"

// TVD is the total variation distance between a model's predictions and given probabilities:
//
//	p = softmax(z)    TVD = ½ Σ_c |p_c − q_c|
//
// The logits z and the probabilities q are [B, C], the result [B, 1], from 0 to 1. TVD is
// only for costs.
func TVD(logits, q *Node) *Node {
	if logits.axis != q.axis || logits.cols != q.cols {
		return logits.g.fail("variation: logits and probabilities differ in their shape")
	}
	return logits.g.apply("variation", &variation{}, []*Node{logits, q}, result{logits.axis, 1})[0]
}

type variation struct {
	trainingOnly
	p []float32 // [B, C]
}

func (k *variation) forward(in, out []Mat) error {
	z, q := in[0], in[1]
	k.p = grown(k.p, len(z.Data))
	for b := range z.Rows {
		p := k.p[b*z.Cols:][:z.Cols]
		simd.SoftmaxLSE(p, z.Row(b))
		var sum float32
		for c, pc := range p {
			sum += max(pc-q.Row(b)[c], q.Row(b)[c]-pc)
		}
		out[0].Data[b] = sum / 2
	}
	return nil
}

// backward computes, with s_c the sign of p_c − q_c, ∂z_c = ½ ∂TVD p_c (s_c − Σⱼ pⱼ sⱼ) and
// ∂q_c = −½ ∂TVD s_c.
func (k *variation) backward(in, _, dout []Mat, din []Grad) error {
	q := in[1]
	for b := range q.Rows {
		half, p := dout[0].Data[b]/2, k.p[b*q.Cols:][:q.Cols]
		var mean float32
		for c, pc := range p {
			mean += float32(pc * sign(pc-q.Row(b)[c]))
		}
		for c, pc := range p {
			s := sign(pc - q.Row(b)[c])
			din[0].add(b*q.Cols+c, float32(half*pc*(s-mean)))
			din[1].add(b*q.Cols+c, -float32(half*s))
		}
	}
	return nil
}

func sign(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
