package training

import (
	"math/bits"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
)

// rowSum makes the gradient of a table's rows from that of a batch's words: it
// adds up the gradients of the words that share a row, in the order in which they
// stand in the batch. Each row is one sum of its own, so that the result does
// not depend on who computes which.
//
// The words are sorted by counting. Its cost is some nanoseconds a word, whatever
// the size of the table but for a bit a row.
type rowSum struct {
	dim    int
	cursor []int32  // [R] first the words of a row, then where its next word goes; 0 between batches
	seen   []uint64 // a bit for each row; 0 between batches
	ids    []int32  // [U] the rows, rising
	starts []int32  // [U+1] where each row's words begin in order
	order  []int32  // [N] the words by their row
	grads  []float32
}

func newRowSum(rows, dim int) *rowSum {
	return &rowSum{dim: dim, cursor: make([]int32, rows), seen: make([]uint64, (rows+63)/64)}
}

// of returns the rows that the words stand for which sort was given, and their
// gradients [U, d], from those of the words [N, d]. Both are overwritten by the
// next calls.
func (s *rowSum) of(pool *ops.Pool, words ops.Mat) (rows []int32, grads []float32, err error) {
	d := s.dim
	s.grads = slices.Grow(s.grads[:0], len(s.ids)*d)[:len(s.ids)*d]
	const block = 1024 // words that a part sums, the last row to its end
	err = pool.For((len(s.order)+block-1)/block, func(part int) {
		from, _ := slices.BinarySearch(s.starts[:len(s.ids)], int32(part*block))
		to, _ := slices.BinarySearch(s.starts[:len(s.ids)], int32((part+1)*block))
		simd.SegmentSums(s.grads[from*d:to*d], words.Data, d, s.order, s.starts[from:to+1])
	})
	return s.ids, s.grads, err
}

// sort takes the words ids [N] of a batch, but for those of the row skip: it fills
// ids, starts and order.
func (s *rowSum) sort(ids []int32, skip int32) {
	for _, id := range ids {
		s.cursor[id]++
		s.seen[id/64] |= 1 << (id % 64)
	}
	s.ids, s.starts = s.ids[:0], s.starts[:0]
	end := int32(0)
	for i, word := range s.seen {
		for ; word != 0; word &= word - 1 {
			id := int32(64*i + bits.TrailingZeros64(word))
			n := s.cursor[id]
			s.cursor[id] = end
			if id != skip {
				s.ids, s.starts = append(s.ids, id), append(s.starts, end)
				end += n
			}
		}
		s.seen[i] = 0
	}
	s.starts = append(s.starts, end)
	s.order = slices.Grow(s.order[:0], int(end))[:end]
	for i, id := range ids {
		if id != skip {
			s.order[s.cursor[id]] = int32(i)
			s.cursor[id]++
		}
	}
	for _, id := range s.ids {
		s.cursor[id] = 0
	}
	if skip >= 0 {
		s.cursor[skip] = 0
	}
}
