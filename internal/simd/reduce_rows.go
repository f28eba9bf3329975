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
