package selftest

import "imdbexp/internal/simd"

// attentionKernels work on tiles of scores.
var attentionKernels = map[string]Kernel{
	"ColumnMax": func(e *Operands, n int) {
		rows, ld, tile := e.Tile(n)
		simd.ColumnMax(e.Vec(n), tile(), rows, ld, n)
	},
	"SoftmaxColumns": func(e *Operands, n int) {
		rows, ld, tile := e.Tile(n)
		simd.SoftmaxColumns(tile(), rows, ld, n, 0.3, e.Vec(n), e.Vec(n), e.Vec(n))
	},
	"SoftmaxGradRows": func(e *Operands, n int) {
		rows, ld, tile := e.Tile(n)
		simd.SoftmaxGradRows(tile(), tile(), rows, ld, n, 0.3, e.Vec(rows), e.Vec(rows), 0.7)
	},
	"SoftmaxGradColumns": func(e *Operands, n int) {
		rows, ld, tile := e.Tile(n)
		simd.SoftmaxGradColumns(tile(), tile(), rows, ld, n, 0.3, e.Vec(n), e.Vec(n), 0.7)
	},
	"DropoutGrid": func(e *Operands, n int) {
		rows, ld, tile := e.Tile(n)
		simd.DropoutGrid(tile(), rows, ld, n, e.Keys(rows), e.Keys(n), 0.3)
	},
	"Transpose": func(e *Operands, n int) {
		rows, ld, tile := e.Tile(n)
		dst := e.Vec(max(0, (n-1)*(rows+2)+min(rows, rows*n)))
		simd.Transpose(dst, rows+2, tile(), ld, rows, n)
	},
	"Transpose tall": func(e *Operands, n int) {
		const cols = 19
		src := e.Vec(max(0, (n-1)*(cols+1)+min(cols, cols*n)))
		simd.Transpose(e.Vec(max(0, (cols-1)*(n+1)+n)), n+1, src, cols+1, n, cols)
	},
}

// cellKernels are those of the GRU and the RNN; the LSTM's are vector kernels.
var cellKernels = map[string]Kernel{
	"GRUForward": func(e *Operands, n int) {
		rows := 1 + n%6
		simd.GRUForward(e.Vec(4*n*rows), rows, n, e.Vec(n*rows), e.Vec(n*rows))
	},
	"GRUForward first": func(e *Operands, n int) {
		rows := 1 + n%6
		simd.GRUForward(e.Vec(4*n*rows), rows, n, nil, e.Vec(n*rows))
	},
	"GRUForward and back": func(e *Operands, n int) {
		rows := 1 + n%6
		z, prev, out := e.Vec(4*n*rows), e.Vec(n*rows), e.Vec(n*rows)
		simd.GRUForward(z, rows, n, prev, out)
		simd.GRUBackward(z, rows, n, prev, out, z)
	},
	"RNNBackward": func(e *Operands, n int) { simd.RNNBackward(e.Vec(n), e.Vec(n), e.Vec(n)) },
}

// rowKernels read or write rows by index.
var rowKernels = map[string]Kernel{
	"GatherRows": func(e *Operands, n int) {
		simd.GatherRows(e.Vec(max(0, 3*(n+2)+n)), n+2, e.Vec(7*n), n, []int32{6, 0, 6, 3}, []int32{2, -1})
	},
	"GatherAddRows": func(e *Operands, n int) {
		simd.GatherAddRows(e.Vec(max(0, 3*(n+2)+n)), n+2, e.Vec(7*n), n, []int32{6, 0, 6, 3}, nil)
	},
	"SegmentSums": func(e *Operands, n int) {
		const rows = 9
		index := make([]int32, n%40)
		for i := range index {
			index[i] = int32(e.Rand.IntN(rows))
		}
		starts := []int32{int32(n % 3 * len(index) / 10)}
		for end := starts[0]; int(end) < len(index); {
			end = min(end+int32(e.Rand.IntN(6)), int32(len(index)))
			starts = append(starts, end)
		}
		simd.SegmentSums(e.Vec((len(starts)-1)*n), e.Vec(rows*n), n, index, starts)
	},
	"AdamRows": func(e *Operands, n int) {
		const rows = 11
		ids := []int32{10, 0, 3, 4, 7}[:n%6]
		w, g, m, v := e.Vec(rows*n), e.Vec(len(ids)*n), e.Vec(rows*n), e.Vec(rows*n)
		for i := range v {
			v[i] *= v[i]
		}
		simd.AdamRows(w, g, m, v, n, ids, adamParams)
	},
}

// products are the matrix products, each with and without adding to C.
var products = map[string]Kernel{
	"NN": func(e *Operands, n int) {
		m, k := sides(n)
		simd.NN(m, n, k, e.matrix(m, k, k+1), k+1, e.matrix(k, n, n+2), n+2, e.matrix(m, n, n+3), n+3, n%2 == 0)
	},
	"TN": func(e *Operands, n int) {
		m, k := sides(n)
		simd.TN(m, n, k, e.matrix(k, m, m+1), m+1, e.matrix(k, n, n+2), n+2, e.matrix(m, n, n+3), n+3, n%2 == 0)
	},
	"NT": func(e *Operands, n int) {
		m, k := sides(n)
		simd.NT(m, n, k, e.matrix(m, k, k+1), k+1, e.matrix(n, k, k+2), k+2, e.matrix(m, n, n+3), n+3, n%2 == 0)
	},
}

// sides returns the other two sizes of a product with n columns.
func sides(n int) (m, k int) { return 1 + n%13, n % 61 }

// matrix returns a matrix [rows, cols] with leading dimension ld.
func (e *Operands) matrix(rows, cols, ld int) []float32 {
	if rows == 0 || cols == 0 {
		return e.Vec(0)
	}
	return e.Vec((rows-1)*ld + cols)
}
