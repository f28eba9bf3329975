package simd

import (
	"fmt"
	"unsafe"
)

// SegmentSums sets row u of dst [len(starts)−1, d] to the sum of the rows
// index[starts[u]:starts[u+1]] of x [·, d], in that order: one chain of additions
// a column that begins with the first row itself. An empty segment gives zeros.
// dst must not overlap x.
func SegmentSums(dst, x []float32, d int, index, starts []int32) {
	checkSegments(len(dst), len(x), d, index, starts)
	segments := len(starts) - 1
	if segments == 0 || d == 0 {
		return
	}
	z, p := unsafe.SliceData(dst), unsafe.SliceData(x)
	i, s := unsafe.SliceData(index), unsafe.SliceData(starts)
	if level != Portable {
		segmentSumsVec(z, p, d, i, s, segments)
	} else {
		for u := range segments {
			sum := dst[u*d:][:d]
			clear(sum)
			for k, i := range index[starts[u]:starts[u+1]] {
				row := x[int(i)*d:][:d]
				if k == 0 {
					copy(sum, row)
					continue
				}
				for j, v := range row {
					sum[j] += v
				}
			}
		}
	}
}

// checkSegments panics unless all segments lie in the index and all rows in x.
func checkSegments(dst, x, d int, index, starts []int32) {
	if d < 0 || len(starts) == 0 || dst != (len(starts)-1)*d {
		panic(fmt.Sprintf("simd.SegmentSums: %d elements for %d segments of rows of %d", dst, len(starts)-1, d))
	}
	last := starts[0]
	for _, s := range starts {
		if s < last || int(s) > len(index) {
			panic(fmt.Sprintf("simd.SegmentSums: segments from %d to %d of %d rows", last, s, len(index)))
		}
		last = s
	}
	if starts[0] < 0 {
		panic("simd.SegmentSums: a segment before the first row")
	}
	if d == 0 {
		return
	}
	highest, rows := uint32(0), x/d // a negative index is a very high one
	for _, i := range index[starts[0]:last] {
		highest = max(highest, uint32(i))
	}
	if last > starts[0] && int64(highest) >= int64(rows) {
		panic(fmt.Sprintf("simd.SegmentSums: row %d of %d", int32(highest), rows))
	}
}
