package simd

import "fmt"

// GatherRows sets row i of dst to row rows[i] of x [·, d], for each i; rows of dst begin ld
// elements apart. At the same time it prefetches the rows of x in later, at most one
// for each i: the rows of the next call. dst must not overlap x.
func GatherRows(dst []float32, ld int, x []float32, d int, rows, later []int32) {
	later = checkGather("GatherRows", dst, ld, x, d, rows, later)
	if level != Portable && len(rows) > 0 && d > 0 {
		gatherRowsVec(ptr(dst), ptr(x), ld, d, ptr(rows), len(rows), ptr(later), len(later))
	} else {
		for i, row := range rows {
			copy(dst[i*ld:][:d], x[int(row)*d:])
		}
	}
}

// GatherAddRows is GatherRows, but adds the rows to dst.
func GatherAddRows(dst []float32, ld int, x []float32, d int, rows, later []int32) {
	later = checkGather("GatherAddRows", dst, ld, x, d, rows, later)
	if level != Portable && len(rows) > 0 && d > 0 {
		gatherAddRowsVec(ptr(dst), ptr(x), ld, d, ptr(rows), len(rows), ptr(later), len(later))
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
	checkRows(kernel, rows, len(x), d)
	return later[:min(len(later), len(rows))]
}

// checkRows panics unless all rows lie in n elements, d each.
func checkRows(kernel string, rows []int32, n, d int) {
	if d == 0 || len(rows) == 0 {
		return
	}
	highest := uint32(0) // a negative row is a very high one
	for _, r := range rows {
		highest = max(highest, uint32(r))
	}
	if have := n / d; int64(highest) >= int64(have) {
		panic(fmt.Sprintf("simd.%s: row %d of %d", kernel, int32(highest), have))
	}
}
