package ops

// Concat puts the rows of b behind those of a: [·, p] and [·, q] give [·, p+q].
func Concat(a, b *Node) *Node {
	if a.axis != b.axis {
		return a.g.fail("concat: the rows differ")
	}
	k := &concat{g: a.g, axis: a.axis}
	return a.g.apply("concat", k, []*Node{a, b}, result{a.axis, a.cols + b.cols})[0]
}

type concat struct {
	g    *Graph
	axis Axis
}

func (k *concat) forward(in, out []Mat) error {
	cuts := k.axis.cuts()
	return k.g.pool.For(len(cuts)-1, func(s int) {
		for i := cuts[s]; i < cuts[s+1]; i++ {
			row := out[0].Row(i)
			copy(row[copy(row, in[0].Row(i)):], in[1].Row(i))
		}
	})
}

func (k *concat) exact(in, out []Wide) error {
	for i := range out[0].Rows {
		row := out[0].Row(i)
		copy(row[copy(row, in[0].Row(i)):], in[1].Row(i))
	}
	return nil
}

func (k *concat) backward(in, _, dout []Mat, din []Grad) error {
	cuts := k.axis.cuts()
	return k.g.pool.For(len(cuts)-1, func(s int) {
		for i := cuts[s]; i < cuts[s+1]; i++ {
			row := dout[0].Row(i)
			din[0].put(i, row[:in[0].Cols])
			din[1].put(i, row[in[0].Cols:])
		}
	})
}

func (k *concat) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.concat(-1, x.all(in)...)}, nil
}
