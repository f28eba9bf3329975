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
