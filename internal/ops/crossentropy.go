package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/simd"
)

// Loss holds the results of CrossEntropy.
type Loss struct {
	Mean  *Node // [1, 1] over the batch: the cost of training
	Each  *Node // [B, 1] −log p[label] in nats
	Probs *Node // [B, C] class probabilities
}

// CrossEntropy compares the logits [B, C] with the labels of the batch:
//
//	p = softmax(z)    ℓ = −log p[label]
//
// A review without a label (−1) has loss 0 and no gradient. Only the mean is differentiated. In a
// graph for training it is the mean of w[label]·ℓ, with weights w [C], nil for ones, and with labels
// smoothed by 0 ≤ ε < 1 (Szegedy et al. 2016, section 7):
//
//	ℓ = −Σ_c t_c log p_c    t_c = ε/C, and 1−ε more for the label
//
// Each and the losses of other graphs have neither, so that they are comparable.
func CrossEntropy(logits *Node, smoothing float64, weights []float32) Loss {
	g := logits.g
	if !(smoothing >= 0 && smoothing < 1) {
		g.fail("cross-entropy: label smoothing %v is outside [0, 1)", smoothing)
	}
	k := &crossEntropy{g: g}
	if g.learning() {
		k.smoothing, k.weights = smoothing, weights
	}
	if weights != nil && len(weights) != logits.cols {
		g.fail("cross-entropy: %d weights for %d classes", len(weights), logits.cols)
	}
	r := g.apply("cross-entropy", k, []*Node{logits},
		result{newFixed(1), 1}, result{logits.axis, 1}, result{logits.axis, logits.cols})
	return Loss{r[0], r[1], r[2]}
}

type crossEntropy struct {
	trainingOnly
	g         *Graph
	smoothing float64
	weights   []float32
}

func (k *crossEntropy) forward(in, out []Mat) error {
	z, mean, each, p := in[0], out[0], out[1], out[2]
	var sum float64
	for b := range z.Rows {
		lse := simd.SoftmaxLSE(p.Row(b), z.Row(b))
		each.Data[b] = 0
		y := k.g.labels[b]
		if int(y) >= z.Cols {
			return fmt.Errorf("label %d of review %d, but %d classes", y, k.g.reviews[b], z.Cols)
		} else if y >= 0 {
			each.Data[b] = lse - z.Row(b)[y]
		}
		loss := float64(each.Data[b])
		if k.smoothing > 0 && y >= 0 {
			loss = k.smoothed(z.Row(b), each.Data[b], lse)
		}
		if k.weights != nil && y >= 0 {
			loss *= float64(k.weights[y])
		}
		sum += float64(loss)
	}
	mean.Data[0] = float32(sum / float64(z.Rows))
	return nil
}

// smoothed returns the loss of a review with its smoothed label, from its plain loss and the
// logarithm of the softmax's sum.
func (k *crossEntropy) smoothed(z []float32, loss, lse float32) float64 {
	var others float64
	for _, v := range z {
		others += float64(lse - v)
	}
	return float64((1-k.smoothing)*float64(loss)) + float64(k.smoothing/float64(len(z))*others)
}

func (k *crossEntropy) backward(in, out, dout []Mat, din []Grad) error {
	p, dz := out[2], din[0]
	if dout[0].Data == nil || dout[1].Data != nil || dout[2].Data != nil {
		return errors.New("only the mean can be part of a cost")
	}
	mean := dout[0].Data[0] / float32(p.Rows)
	rest := float32(k.smoothing / float64(p.Cols)) // the smoothed target of every class
	for b := range p.Rows {
		y, scale := k.g.labels[b], mean
		if k.weights != nil && y >= 0 {
			scale *= k.weights[y]
		}
		for c, pc := range p.Row(b) {
			if y < 0 {
				pc = 0
			} else if int(y) == c {
				pc -= float32(1-k.smoothing) + rest
			} else {
				pc -= rest
			}
			dz.add(b*p.Cols+c, float32(pc*scale))
		}
	}
	return nil
}
