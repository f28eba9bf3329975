package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/simd"
)

// Lookup sets a leaf on the word axis to the rows ids of the table, which is as
// wide as the leaf. The table must not change while the graph runs. Lookup happens outside
// the graph: the caller scatters the leaf's gradient. also, if not nil, runs at the same
// time on one of the workers.
func (n *Node) Lookup(table []float32, ids []int32, also func()) error {
	l := n.leaf
	if l.copied() {
		if err := n.gather(table, ids, also); err != nil {
			return err
		}
		return l.find(table, ids, n.cols)
	}
	n.bindNothing()
	if also == nil {
		return l.find(table, ids, n.cols)
	}
	var err error
	failed := n.g.pool.For(2, func(i int) {
		if i == 0 {
			also()
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

// distinct holds the distinct words of a batch: with 64 reviews, a fifth of all.
type distinct struct {
	words []int32 // the row of each in the table
	ids   []int32 // [N] the index in words of each of the batch's words
	place []int32 // by table row: its index in words plus one; 0 if not in the batch
}

// list finds the distinct words among ids, the rows of a table with that many rows.
func (s *distinct) list(ids []int32, rows int) error {
	if len(s.place) < rows {
		s.place = append(s.place, make([]int32, rows-len(s.place))...)
	}
	for _, w := range s.words { // of the previous batch
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

// prefetchAhead is how many rows ahead the table's rows are prefetched; they lie
// anywhere in some 80 MB.
const prefetchAhead = 32

func (n *Node) gather(table []float32, ids []int32, also func()) error {
	d := n.cols
	l := n.leaf
	l.buf = grown(l.buf, len(ids)*d)
	const block = 1024
	first := 0
	if also != nil {
		first = 1
	}
	err := n.g.pool.For(first+(len(ids)+block-1)/block, func(k int) {
		if k -= first; k < 0 {
			also()
			return
		}
		lo, hi := k*block, min((k+1)*block, len(ids))
		simd.GatherRows(l.buf[lo*d:], d, table, d, ids[lo:hi], ids[min(lo+prefetchAhead, len(ids)):])
	})
	n.Set(Mat{Rows: len(ids), Cols: d, Data: l.buf})
	return err
}

// lookupReader is a kernel that can read the rows of a lookup in the table. Other kernels
// need a copy in the order of the words.
type lookupReader interface{ access() access }

// access is how kernels read the rows of a lookup; a set, if several kernels do.
type access uint8

const (
	copied     access = 1 << iota // from a copy in order
	byReview                      // review by review, from the copy if there is one
	distinctly                    // each distinct word once
	unread                        // not at all
)

func (*layer) access() access   { return distinctly }
func (*attend) access() access  { return byReview }
func (*uniform) access() access { return unread }

// access depends on whether the attention op computes the sums, from the same rows.
func (k *weightedSum) access() access {
	if k.attention == nil {
		return copied
	}
	return byReview
}
