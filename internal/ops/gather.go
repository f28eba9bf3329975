package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/simd"
)

// Look sets a leaf on the word axis to the rows ids of the table, which is as
// wide as the leaf. It happens outside the graph: a lookup has no gradient but
// the scattering of the leaf's own. The table must stay as it is while the
// graph runs. beside, if not nil, is done at the same time by one of the workers.
func (n *Node) Look(table []float32, ids []int32, beside func()) error {
	l := n.leaf
	if l.copied() {
		if err := n.gather(table, ids, beside); err != nil {
			return err
		}
		return l.find(table, ids, n.cols)
	}
	n.bindNothing()
	if beside == nil {
		return l.find(table, ids, n.cols)
	}
	var err error
	failed := n.g.pool.For(2, func(i int) {
		if i == 0 {
			beside()
		} else {
			err = l.find(table, ids, n.cols)
		}
	})
	return errors.Join(failed, err)
}

// find sets the leaf's lookup.
func (l *leaf) find(table []float32, ids []int32, cols int) error {
	l.lookup = Mat{Rows: len(ids), Cols: cols, Data: table, IDs: ids}
	if l.read&distinctly == 0 {
		return nil
	}
	err := l.distinct.list(ids, len(table)/cols)
	l.lookup.IDs, l.lookup.Words = l.distinct.ids, l.distinct.words
	return err
}

// distinct are the words of a batch, each once: of 64 reviews a fifth of them.
type distinct struct {
	words []int32 // the row of each in the table
	ids   []int32 // [N] the places of the batch's words among them
	place []int32 // by the row in the table: one more than the place; 0: not in the batch
}

// list finds the distinct ones of ids, rows of a table of so many.
func (s *distinct) list(ids []int32, rows int) error {
	if len(s.place) < rows {
		s.place = append(s.place, make([]int32, rows-len(s.place))...)
	}
	for _, w := range s.words { // of the batch before
		s.place[w] = 0
	}
	s.words, s.ids = s.words[:0], grown(s.ids, len(ids))
	for i, w := range ids {
		if uint(w) >= uint(rows) {
			return fmt.Errorf("word %d of the batch is row %d of a table of %d", i, w, rows)
		}
		if s.place[w] == 0 {
			s.words = append(s.words, w)
			s.place[w] = int32(len(s.words))
		}
		s.ids[i] = s.place[w] - 1
	}
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

// looker is a kernel that can read the rows of a lookup where they lie. Others need a copy
// that stands in order.
type looker interface{ looks() looking }

// looking is how kernels read the rows of a lookup; of several kernels, all of theirs.
type looking uint8

const (
	copied     looking = 1 << iota // from a copy in order
	byReview                       // a review after the other, from the copy if there is one
	distinctly                     // each distinct word once
	unread                         // not at all
)

func (*lstm) looks() looking    { return distinctly }
func (*gru) looks() looking     { return distinctly }
func (*rnn) looks() looking     { return distinctly }
func (*attend) looks() looking  { return byReview }
func (*uniform) looks() looking { return unread }

// looks: the sums are made beside attention's, of the same rows.
func (k *weightedSum) looks() looking {
	if k.attention == nil {
		return copied
	}
	return byReview
}
