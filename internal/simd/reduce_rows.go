package simd

import "fmt"

// DotRows sets dst[i] = Dot(x[i·ld : i·ld+d], q) for each i: the scores of len(dst)
// keys of width d against one query. x has rows of d elements at a distance of
// ld; q has d elements. dst must not overlap x or q.
func DotRows(dst, x []float32, ld, d int, q []float32) {
	checkMatrix("DotRows", len(x), len(dst), ld, d)
	checkLen("DotRows", d, len(q))
	if level != Portable {
		dotRowsVec(ptr(dst), ptr(x), ptr(q), len(dst), ld, d)
	} else {
		for i := range dst {
			dst[i] = dotPortable(x[i*ld:][:d], q)
		}
	}
}

// ColumnSums sets dst[j] = Σᵢ x[i·ld+j] for each j < d, i ascending, one chain of
// additions a column; with accumulate the chain starts at the old dst[j],
// otherwise at 0. dst has d elements and must not overlap x.
func ColumnSums(dst, x []float32, rows, ld, d int, accumulate bool) {
	checkMatrix("ColumnSums", len(x), rows, ld, d)
	checkLen("ColumnSums", d, len(dst))
	if !accumulate {
		clear(dst)
	}
	if level != Portable && rows > 0 {
		columnSumsVec(ptr(dst), ptr(x), rows, ld, d)
	} else {
		for i := range rows {
			for j, v := range x[i*ld:][:d] {
				dst[j] += v
			}
		}
	}
}

// AddBias adds bias [d] to each of the rows of x.
func AddBias(x []float32, rows, ld, d int, bias []float32) {
	checkMatrix("AddBias", len(x), rows, ld, d)
	checkLen("AddBias", d, len(bias))
	if level != Portable && rows > 0 {
		addBiasVec(ptr(x), ptr(bias), rows, ld, d)
	} else {
		for i := range rows {
			r := x[i*ld:][:d]
			for j, v := range bias {
				r[j] += v
			}
		}
	}
}

// checkMatrix panics unless n elements hold the given rows of d elements, ld apart.
func checkMatrix(kernel string, n, rows, ld, d int) {
	if rows < 0 || d < 0 || (rows > 1 && ld < d) || (rows > 0 && n < (rows-1)*ld+d) {
		panic(fmt.Sprintf("simd.%s: %d elements are not enough for %d rows of %d, %d apart", kernel, n, rows, d, ld))
	}
}

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
