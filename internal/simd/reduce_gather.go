package simd

import (
	"fmt"
	"unsafe"
)

// GatherRows sets row i of dst to row rows[i] of x [·, d], for each i; rows of dst begin ld
// elements apart. At the same time it prefetches the rows of x in later, at most one
// for each i: the rows of the next call. dst must not overlap x.
func GatherRows(dst []float32, ld int, x []float32, d int, rows, later []int32) {
	later = checkGather("GatherRows", dst, ld, x, d, rows, later)
	if len(rows) == 0 || d == 0 {
		return
	}
	z, p, r, l := unsafe.SliceData(dst), unsafe.SliceData(x), unsafe.SliceData(rows), unsafe.SliceData(later)
	if level != Portable {
		gatherRowsVec(z, p, ld, d, r, len(rows), l, len(later))
	} else {
		for i, row := range rows {
			copy(dst[i*ld:][:d], x[int(row)*d:])
		}
	}
}

// GatherAddRows is GatherRows, but adds the rows to dst.
func GatherAddRows(dst []float32, ld int, x []float32, d int, rows, later []int32) {
	later = checkGather("GatherAddRows", dst, ld, x, d, rows, later)
	if len(rows) == 0 || d == 0 {
		return
	}
	z, p, r, l := unsafe.SliceData(dst), unsafe.SliceData(x), unsafe.SliceData(rows), unsafe.SliceData(later)
	if level != Portable {
		gatherAddRowsVec(z, p, ld, d, r, len(rows), l, len(later))
	} else {
		for i, row := range rows {
			sum := dst[i*ld:][:d]
			for j, v := range x[int(row)*d:][:d] {
				sum[j] += v
			}
		}
	}
}

// checkGather panics unless all rows lie in x and dst. It returns later, cut to the number
// of rows.
func checkGather(kernel string, dst []float32, ld int, x []float32, d int, rows, later []int32) []int32 {
	checkMatrix(kernel, len(dst), len(rows), ld, d)
	later = later[:min(len(later), len(rows))]
	if d == 0 || len(rows) == 0 {
		return later
	}
	highest, have := uint32(0), len(x)/d // a negative row is a very high one
	for _, r := range rows {
		highest = max(highest, uint32(r))
	}
	if int64(highest) >= int64(have) {
		panic(fmt.Sprintf("simd.%s: row %d of %d", kernel, int32(highest), have))
	}
	return later
}
