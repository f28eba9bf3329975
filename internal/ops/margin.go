package ops

import "fmt"

// Margin is the logit of each review's label minus the mean of the
// others:
//
//	m = z_label − (1/(C−1)) Σ_{c≠label} z_c
//
// The logits are [B, C] with C ≥ 2, the result [B, 1]. For two classes it is the
// difference of the logits, the log-odds of the label. A review without a label (−1)
// has margin 0 and no gradient.
func Margin(logits *Node) *Node {
	if logits.cols < 2 {
		return logits.g.fail("margin: needs two classes or more, not %d", logits.cols)
	}
	k := &margin{g: logits.g}
	return logits.g.apply("margin", k, []*Node{logits}, result{logits.axis, 1})[0]
}

type margin struct {
	trainingOnly
	g *Graph
}

func (k *margin) forward(in, out []Mat) error {
	z := in[0]
	for b := range z.Rows {
		y := int(k.g.labels[b])
		if y >= z.Cols {
			return fmt.Errorf("label %d of review %d, but %d classes", y, k.g.reviews[b], z.Cols)
		}
		out[0].Data[b] = 0
		if y < 0 {
			continue
		}
		sum := 0.0
		for c, v := range z.Row(b) {
			if c != y {
				sum += float64(v)
			}
		}
		out[0].Data[b] = float32(float64(z.Row(b)[y]) - sum/float64(z.Cols-1))
	}
	return nil
}

func (k *margin) backward(in, _, dout []Mat, din []Grad) error {
	cols := in[0].Cols
	for i := range in[0].Data {
		y, c, d := int(k.g.labels[i/cols]), i%cols, dout[0].Data[i/cols]
		switch {
		case y < 0:
			d = 0
		case y != c:
			d = -d / float32(cols-1)
		}
		din[0].add(i, d)
	}
	return nil
}
