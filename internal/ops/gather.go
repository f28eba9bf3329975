package ops

// Gather sets a leaf on the word axis to the rows ids of the table, which is as
// wide as the leaf. It happens outside the graph: a lookup has no gradient but
// the scattering of the leaf's own.
func (n *Node) Gather(table []float32, ids []int32) error {
	d := n.cols
	l := n.leaf
	l.buf = grown(l.buf, len(ids)*d)
	const block = 1024
	err := n.g.pool.For((len(ids)+block-1)/block, func(k int) {
		for i := k * block; i < min((k+1)*block, len(ids)); i++ {
			copy(l.buf[i*d:][:d], table[int(ids[i])*d:][:d])
		}
	})
	n.Set(Mat{len(ids), d, l.buf})
	return err
}
