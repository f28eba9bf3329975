package training

import (
	"math/bits"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
)

// rowSum computes the gradient of the rows of a table from that of the words of a batch: it adds the
// gradients of the words that share a row, in the order of the batch. Each row has its own sum, so the
// result does not depend on the number of workers.
//
// It sorts the words by counting, which takes some nanoseconds a word and one bit for each row of the
// table.
type rowSum struct {
	dim    int
	cursor []int32  // [R] first the number of words of a row, then the position of its next word; 0 between batches
	seen   []uint64 // a bit for each row; 0 between batches
	ids    []int32  // [U] the rows, ascending
	starts []int32  // [U+1] the start of each row's words in order
	order  []int32  // [N] the words by their row
	grads  []float32
}

func newRowSum(rows, dim int) *rowSum {
	return &rowSum{dim: dim, cursor: make([]int32, rows), seen: make([]uint64, (rows+63)/64)}
}

// sum returns the rows of the words that sort has sorted and their gradients [U, d], from the
// gradients of the words [N, d]. The next call overwrites both.
func (s *rowSum) sum(pool *ops.Pool, words ops.Mat) (rows []int32, grads []float32, err error) {
	d := s.dim
	s.grads = slices.Grow(s.grads[:0], len(s.ids)*d)[:len(s.ids)*d]
	const block = 1024 // words of a part, up to the end of its last row
	err = pool.For((len(s.order)+block-1)/block, func(part int) {
		from, _ := slices.BinarySearch(s.starts[:len(s.ids)], int32(part*block))
		to, _ := slices.BinarySearch(s.starts[:len(s.ids)], int32((part+1)*block))
		simd.SegmentSums(s.grads[from*d:to*d], words.Data, d, s.order, s.starts[from:to+1])
	})
	return s.ids, s.grads, err
}

// sort sorts the words ids [N] of a batch by their rows, without those of the row skip: it fills ids,
// starts and order.
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
