package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/simd"
)

// Loss holds the results of CrossEntropy.
type Loss struct {
	Mean   *Node // [1, 1] over the batch
	Each   *Node // [B, 1] in nats
	Scores *Node // [B, C] class probabilities
}

// CrossEntropy compares the logits [B, C] with the labels of the batch:
//
//	p = softmax(z)    ℓ = −log p[label]
//
// A review without a label (−1) has loss 0 and no gradient. Only the mean is
// differentiated.
func CrossEntropy(logits *Node) Loss {
	g := logits.g
	r := g.apply("cross-entropy", &crossEntropy{g: g}, []*Node{logits},
		result{newFixed(1), 1}, result{logits.axis, 1}, result{logits.axis, logits.cols})
	return Loss{r[0], r[1], r[2]}
}

type crossEntropy struct{ g *Graph }

func (k *crossEntropy) forward(in, out []Mat) error {
	z, mean, each, p := in[0], out[0], out[1], out[2]
	var sum float64
	for b := range z.Rows {
		lse := simd.SoftmaxLSE(p.Row(b), z.Row(b))
		each.Data[b] = 0
		if y := k.g.labels[b]; int(y) >= z.Cols {
			return fmt.Errorf("label %d of review %d, but %d classes", y, k.g.reviews[b], z.Cols)
		} else if y >= 0 {
			each.Data[b] = lse - z.Row(b)[y]
		}
		sum += float64(each.Data[b])
	}
	mean.Data[0] = float32(sum / float64(z.Rows))
	return nil
}

func (k *crossEntropy) backward(in, out, dout []Mat, din []Grad) error {
	p, dz := out[2], din[0]
	if dout[0].Data == nil || dout[1].Data != nil || dout[2].Data != nil {
		return errors.New("only the mean can be part of a cost")
	}
	scale := dout[0].Data[0] / float32(p.Rows)
	for b := range p.Rows {
		y := k.g.labels[b]
		for c, pc := range p.Row(b) {
			if y < 0 {
				pc = 0
			} else if int(y) == c {
				pc--
			}
			d := float32(pc * scale)
			if dz.Add {
				d += dz.Row(b)[c]
			}
			dz.Row(b)[c] = d
		}
	}
	return nil
}
