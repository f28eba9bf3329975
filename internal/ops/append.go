package ops

import "errors"

// Append appends the rows of now to the rows of past, review by review:
//
//	y = [past₁, …, pastₚ, now₁, …, nowₙ]
//
// past is [P, d] and now [N, d], on two axes of the same reviews; the result is
// [P+N, d] on a joined axis, which is shared by all calls with the same two axes. Decoding
// uses it for the keys and values kept so far and the current ones.
func Append(past, now *Node) *Node {
	g := past.g
	front, ok1 := past.axis.(*Seq)
	back, ok2 := now.axis.(*Seq)
	if !ok1 || !ok2 || front == back || front.reviews != back.reviews || past.cols != now.cols {
		return g.fail("append: [%s, %d] and [%s, %d] need rows of one width on two axes of the same reviews",
			kind(past.axis), past.cols, kind(now.axis), now.cols)
	}
	k := &appended{g: g, joined: g.join(front, back)}
	return g.apply("append", k, []*Node{past, now}, result{k.seq, past.cols})[0]
}

type appended struct {
	g *Graph
	*joined
}

// each calls f for every review with its rows: front[0] … front[1] of past,
// back[0] … back[1] of now and all[0] … all[1] of the result.
func (k *appended) each(f func(front, back, all [2]int)) error {
	return k.g.pool.reviews(k.seq, func(_, b, lo, hi int) {
		f([2]int{k.front.Offsets[b], k.front.Offsets[b+1]}, [2]int{k.back.Offsets[b], k.back.Offsets[b+1]}, [2]int{lo, hi})
	})
}

func (k *appended) forward(in, out []Mat) error {
	return k.each(func(front, back, all [2]int) {
		y := out[0].Range(all[0], all[1])
		copy(y[copy(y, in[0].Range(front[0], front[1])):], in[1].Range(back[0], back[1]))
	})
}

func (k *appended) exact(in, out []Mat64) error {
	for b, at := range k.seq.Offsets[:k.seq.reviews.Len()] {
		for _, part := range []Mat64{k.front.of(in[0], b), k.back.of(in[1], b)} {
			exactAdd(out[0].Range(at, at+part.Rows).Data, part.Data)
			at += part.Rows
		}
	}
	return nil
}

func (k *appended) backward(_, _, dout []Mat, din []Grad) error {
	return k.each(func(front, back, all [2]int) {
		mid := all[0] + front[1] - front[0]
		din[0].putRange(front[0], front[1], dout[0].Range(all[0], mid))
		din[1].putRange(back[0], back[1], dout[0].Range(mid, all[1]))
	})
}

func (k *appended) onnx(*Export, []*Node) ([]string, error) {
	return nil, errors.New("is an op of word-by-word decoding, which is not exported")
}
