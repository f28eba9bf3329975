package selftest

import "imdbexp/internal/simd"

// rowKernels pick rows by their numbers.
var rowKernels = map[string]Kernel{
	"GatherRows": func(e *Operands, n int) {
		simd.GatherRows(e.Vec(max(0, 3*(n+2)+n)), n+2, e.Vec(7*n), n, []int32{6, 0, 6, 3}, []int32{2, -1})
	},
	"RNNBackward": func(e *Operands, n int) { simd.RNNBackward(e.Vec(n), e.Vec(n), e.Vec(n)) },
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
