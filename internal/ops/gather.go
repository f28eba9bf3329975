package ops

import "imdbexp/internal/simd"

// Look sets a leaf on the word axis to the rows ids of the table, which is as
// wide as the leaf. It happens outside the graph: a lookup has no gradient but
// the scattering of the leaf's own. The table must stay as it is while the
// graph runs. beside, if not nil, is done at the same time by one of the workers.
func (n *Node) Look(table []float32, ids []int32, beside func()) error {
	m := Mat{Rows: len(ids), Cols: n.cols, Data: table, IDs: ids}
	if n.leaf.copied {
		if err := n.gather(table, ids, beside); err != nil {
			return err
		}
	} else {
		n.bindNothing()
		if beside != nil {
			beside()
		}
	}
	n.leaf.lookup = m
	return nil
}

// Gather sets a leaf to a copy of the rows ids of the table.
func (n *Node) Gather(table []float32, ids []int32) error { return n.gather(table, ids, nil) }

// asked is how many rows ahead the caches are asked for those of a table of words, which lie
// anywhere in some 80 MB.
const asked = 32

func (n *Node) gather(table []float32, ids []int32, beside func()) error {
	d := n.cols
	l := n.leaf
	l.buf = grown(l.buf, len(ids)*d)
	const block = 1024
	first := 0
	if beside != nil {
		first = 1
	}
	err := n.g.pool.For(first+(len(ids)+block-1)/block, func(k int) {
		if k -= first; k < 0 {
			beside()
			return
		}
		lo, hi := k*block, min((k+1)*block, len(ids))
		simd.GatherRows(l.buf[lo*d:], d, table, d, ids[lo:hi], ids[min(lo+asked, len(ids)):])
	})
	n.Set(Mat{Rows: len(ids), Cols: d, Data: l.buf})
	return err
}

// looker is a kernel that reads its inputs through Mat.Row alone, once, so that a
// copy of the words' rows would only cost time. Those that go over them several
// times are faster on a copy: measured, by a quarter.
type looker interface{ looks() }

func (*lstm) looks() {}
func (*gru) looks()  {}
func (*rnn) looks()  {}
