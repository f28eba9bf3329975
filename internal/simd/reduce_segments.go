package simd

import "fmt"

// SegmentSums sets row u of dst [len(starts)−1, d] to the sum of the rows
// index[starts[u]:starts[u+1]] of x [·, d], in that order: one chain of additions
// a column that begins with the first row itself. An empty segment gives zeros.
// dst must not overlap x.
func SegmentSums(dst, x []float32, d int, index, starts []int32) {
	checkSegments(len(dst), len(x), d, index, starts)
	segments := len(starts) - 1
	if level != Portable && segments > 0 && d > 0 {
		segmentSumsVec(ptr(dst), ptr(x), d, ptr(index), ptr(starts), segments)
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
	checkRows("SegmentSums", index[starts[0]:last], x, d)
}
