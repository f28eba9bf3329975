package ops

// Term is one part of a cost: Weight times the mean (or the sum) of the rows.
type Term struct {
	Node   *Node // [rows, 1]
	Weight float32
	Sum    bool
}

// Total adds up the terms of the cost that a graph is trained on.
func Total(terms ...Term) *Node {
	in := make([]*Node, len(terms))
	for i, t := range terms {
		in[i] = t.Node
	}
	g := in[0].g
	return g.apply("total", &total{terms: terms}, in, result{newFixed(1), 1})[0]
}

type total struct {
	trainingOnly
	terms []Term
}

// weight returns the weight of one row of a term.
func (t Term) weight(rows int) float32 {
	if t.Sum {
		return t.Weight
	}
	return t.Weight / float32(rows)
}

func (k *total) forward(in, out []Mat) error {
	var sum float64
	for i, t := range k.terms {
		var s float64
		for _, v := range in[i].Data {
			s += float64(v)
		}
		sum += float64(s * float64(t.weight(in[i].Rows)))
	}
	out[0].Data[0] = float32(sum)
	return nil
}

// backward starts from a gradient of 1.
func (k *total) backward(in, _, _ []Mat, din []Grad) error {
	for i, t := range k.terms {
		for j := range din[i].Data {
			din[i].add(j, t.weight(in[i].Rows))
		}
	}
	return nil
}
