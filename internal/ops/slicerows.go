package ops

import "fmt"

// SliceRows takes the rows lo … hi of a weight:
//
//	y_i = w_{lo+i}
//
// w is [rows, k], the result [hi−lo, k].
func SliceRows(w *Node, lo, hi int) *Node {
	switch {
	case !isWeight(w):
		return w.g.fail("slice of rows: needs a weight")
	case lo < 0 || hi > w.axis.Len() || lo >= hi:
		return w.g.fail("slice of rows: no rows %d … %d of a weight [%d, %d]", lo, hi, w.axis.Len(), w.cols)
	}
	return w.g.apply("slice of rows", &sliceRows{lo, hi}, []*Node{w}, result{newFixed(hi - lo), w.cols})[0]
}

type sliceRows struct{ lo, hi int }

func (k *sliceRows) forward(in, out []Mat) error {
	copy(out[0].Data, in[0].Range(k.lo, k.hi))
	return nil
}

func (k *sliceRows) exact(in, out []Mat64) error {
	copy(out[0].Data, in[0].Range(k.lo, k.hi).Data)
	return nil
}

func (k *sliceRows) backward(_, _, dout []Mat, din []Grad) error {
	dw := din[0]
	dw.putRange(k.lo, k.hi, dout[0].Data)
	if dw.Wanted() && !dw.Add {
		clear(dw.Range(0, k.lo))
		clear(dw.Range(k.hi, dw.Rows))
	}
	return nil
}

func (k *sliceRows) onnx(x *Export, in []*Node) ([]string, error) {
	name := fmt.Sprintf("%s.%d.%d", in[0].leaf.name, k.lo, k.hi)
	return []string{x.Constant(name, in[0].leaf.mat.Range(k.lo, k.hi), k.hi-k.lo, in[0].cols)}, nil
}
