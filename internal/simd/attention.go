package simd

// The kernels of this file work on one tile of attention scores, x: rows of d
// elements, ld apart. Values of a column are computed down its rows, i
// ascending, in one chain of operations a column. Operands must not overlap.

// SoftmaxMin is the lower limit of a score relative to its row's largest (or
// log-sum-exp): below it the weight is 0. Next to the largest weight such a small one is lost in
// the rounding of any sum, even with twenty thousand others. Multiplied with
// a small gradient it would be a subnormal number, on which a processor takes a
// hundred times as long.
const SoftmaxMin = -40

// ColumnMax raises m[j] to the largest of x[i·ld+j] over the rows. NaN counts
// as smaller than everything.
func ColumnMax(m, x []float32, rows, ld, d int) {
	checkMatrix("ColumnMax", len(x), rows, ld, d)
	checkLen("ColumnMax", d, len(m))
	if level != Portable && rows > 0 {
		columnMaxVec(ptr(m), ptr(x), rows, ld, d)
	} else {
		for i := range rows {
			for j, v := range x[i*ld:][:d] {
				if v > m[j] {
					m[j] = v
				}
			}
		}
	}
}

// SoftmaxColumns turns scores into numerators of a softmax over the rows: with
// t = scale·x[i,j] − m[j] it sets x[i,j] = exp(t) and adds exp(t) to sum[j] and
// t·exp(t) to dot[j], from which the entropy follows: log sum − dot/sum. Where t is
// at most SoftmaxMin, x[i,j] is 0 and adds nothing.
func SoftmaxColumns(x []float32, rows, ld, d int, scale float32, m, sum, dot []float32) {
	checkMatrix("SoftmaxColumns", len(x), rows, ld, d)
	checkLen("SoftmaxColumns", d, len(m), len(sum), len(dot))
	if level != Portable && rows > 0 {
		softmaxColumnsVec(ptr(x), rows, ld, d, scale, ptr(m), ptr(sum), ptr(dot))
	} else {
		for i := range rows {
			row := x[i*ld:][:d]
			for j, v := range row {
				t, e := weight1(v, scale, m[j])
				row[j] = e
				sum[j] += e
				dot[j] = fma(e, t, dot[j])
			}
		}
	}
}

// SoftmaxGradRows recomputes attention from its scores and turns dy, the gradient g of
// the attention, into the gradient of the raw scores. With
// t = scale·x[i,j] − lse[i], the logarithm of the attention,
//
//	x[i,j] = exp(t)    dy[i,j] = scale · exp(t) · (g − shift[i] − h·t)
//
// (both 0 where t is at most SoftmaxMin), where shift[i] = Σⱼ αg + h·H: α the
// attention of row i, H its entropy, h the entropy's gradient. The rows of x and dy
// have the same distance.
func SoftmaxGradRows(x, dy []float32, rows, ld, d int, scale float32, lse, shift []float32, h float32) {
	checkMatrix("SoftmaxGradRows", min(len(x), len(dy)), rows, ld, d)
	checkLen("SoftmaxGradRows", rows, len(lse), len(shift))
	if level != Portable && rows > 0 {
		softmaxGradRowsVec(ptr(x), ptr(dy), rows, ld, d, scale, ptr(lse), ptr(shift), -h)
	} else {
		for i := range rows {
			row, grad := x[i*ld:][:d], dy[i*ld:][:d]
			for j := range row {
				row[j], grad[j] = softmaxGrad1(row[j], grad[j], scale, lse[i], shift[i], -h)
			}
		}
	}
}

// SoftmaxGradColumns is SoftmaxGradRows for a softmax over the rows: lse and shift
// belong to the columns.
func SoftmaxGradColumns(x, dy []float32, rows, ld, d int, scale float32, lse, shift []float32, h float32) {
	checkMatrix("SoftmaxGradColumns", min(len(x), len(dy)), rows, ld, d)
	checkLen("SoftmaxGradColumns", d, len(lse), len(shift))
	if level != Portable && rows > 0 {
		softmaxGradColumnsVec(ptr(x), ptr(dy), rows, ld, d, scale, ptr(lse), ptr(shift), -h)
	} else {
		for i := range rows {
			row, grad := x[i*ld:][:d], dy[i*ld:][:d]
			for j := range row {
				row[j], grad[j] = softmaxGrad1(row[j], grad[j], scale, lse[j], shift[j], -h)
			}
		}
	}
}

// weight1 returns t = scale·x − by, limited to the range of nonzero weights, and exp(t).
func weight1(x, scale, by float32) (t, e float32) {
	t = clamp(float32(x*scale)-by, SoftmaxMin, expMax)
	if t <= SoftmaxMin {
		return t, 0
	}
	return t, Exp1(t)
}

func softmaxGrad1(x, g, scale, lse, shift, negH float32) (p, ds float32) {
	t, p := weight1(x, scale, lse)
	return p, float32(p*fma(negH, t, g-shift)) * scale
}

// DropoutGrid scales the elements of x by 1/(1−p), or sets them to 0 with
// probability p (inverted dropout). Whether element (i, j) is kept depends only on a
// hash of rowKeys[i] + colKeys[j]. So a tile has the same mask as its
// transpose with the keys exchanged, and no mask is stored. The keys
// themselves must be well mixed.
func DropoutGrid(x []float32, rows, ld, d int, rowKeys, colKeys []uint32, p float32) {
	checkMatrix("DropoutGrid", len(x), rows, ld, d)
	checkLen("DropoutGrid", rows, len(rowKeys))
	checkLen("DropoutGrid", d, len(colKeys))
	threshold, scale := dropoutConsts(p)
	if level != Portable && rows > 0 {
		dropoutGridVec(ptr(x), rows, ld, d, ptr(rowKeys), ptr(colKeys), threshold, scale)
	} else {
		for i, key := range rowKeys {
			row := x[i*ld:][:d]
			for j, v := range row {
				v *= scale
				if mix32(key+colKeys[j]) < threshold {
					v = 0
				}
				row[j] = v
			}
		}
	}
}

// Transpose sets dst [cols, rows] to the transpose of src [rows, cols]; their
// rows begin ldd and lds elements apart.
func Transpose(dst []float32, ldd int, src []float32, lds int, rows, cols int) {
	check("Transpose: dst", cols, rows, ldd, len(dst))
	check("Transpose: src", rows, cols, lds, len(src))
	blocks(dst, ldd, src, lds, rows, cols)
}

func transposeSlowly(dst []float32, ldd int, src []float32, lds int, rows, cols int) {
	for i := range rows {
		for j, v := range src[i*lds:][:cols] {
			dst[j*ldd+i] = v
		}
	}
}
