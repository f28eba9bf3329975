package selftest

import "imdbexp/internal/simd"

// cellKernels are the gates of the GRU; the LSTM's are vector kernels.
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
}
