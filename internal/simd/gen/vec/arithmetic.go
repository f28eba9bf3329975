//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// arithmetic writes the element-wise kernels that memory bounds.
func arithmetic(s *isa) {
	const unroll = 4
	s.begin("axpy", "sets dst[i] = fma(a, x[i], dst[i]).", "(dst, x *float32, n int, a float32)")
	dst, x, n, a := ptr("dst"), ptr("x"), ptr("n"), s.broadcast("a")
	s.each(n, []reg.GPVirtual{dst, x}, unroll, func(_, d int, k mask) {
		y := s.load(Mem{Base: dst, Disp: d}, k)
		VFMADD231PS(s.operand(Mem{Base: x, Disp: d}, k), a, y)
		s.store(y, Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("add", "adds x to dst.", "(dst, x *float32, n int)")
	dst, x, n = ptr("dst"), ptr("x"), ptr("n")
	s.each(n, []reg.GPVirtual{dst, x}, unroll, func(_, d int, k mask) {
		y := s.load(Mem{Base: dst, Disp: d}, k)
		VADDPS(s.operand(Mem{Base: x, Disp: d}, k), y, y)
		s.store(y, Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("mul", "sets dst[i] = x[i]·y[i].", "(dst, x, y *float32, n int)")
	dst, x, n = ptr("dst"), ptr("x"), ptr("n")
	y := ptr("y")
	s.each(n, []reg.GPVirtual{dst, x, y}, unroll, func(_, d int, k mask) {
		v := s.load(Mem{Base: x, Disp: d}, k)
		VMULPS(s.operand(Mem{Base: y, Disp: d}, k), v, v)
		s.store(v, Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("scale", "multiplies dst by a.", "(dst *float32, n int, a float32)")
	dst, n, a = ptr("dst"), ptr("n"), s.broadcast("a")
	s.each(n, []reg.GPVirtual{dst}, unroll, func(_, d int, k mask) {
		v := s.mul(a, s.operand(Mem{Base: dst, Disp: d}, k))
		s.store(v, Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("fill", "sets dst to a.", "(dst *float32, n int, a float32)")
	dst, n, a = ptr("dst"), ptr("n"), s.broadcast("a")
	s.each(n, []reg.GPVirtual{dst}, unroll, func(_, d int, k mask) {
		s.store(a, Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("relu", "sets dst[i] = max(x[i], 0).", "(dst, x *float32, n int)")
	dst, x, n = ptr("dst"), ptr("x"), ptr("n")
	zero := s.zero()
	s.each(n, []reg.GPVirtual{dst, x}, unroll, func(_, d int, k mask) {
		s.store(s.max(zero, s.load(Mem{Base: x, Disp: d}, k)), Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("reluGrad", "sets dst[i] = dy[i], or 0 where x[i] ≤ 0.", "(dst, x, dy *float32, n int)")
	dst, x, n = ptr("dst"), ptr("x"), ptr("n")
	dy := ptr("dy")
	zero = s.zero()
	s.each(n, []reg.GPVirtual{dst, x, dy}, unroll, func(_, d int, k mask) {
		v := s.load(Mem{Base: x, Disp: d}, k)
		g := s.load(Mem{Base: dy, Disp: d}, k)
		const notLessOrEqual = 6
		switch {
		case s.zmm:
			pass := K()
			VCMPPS(Imm(notLessOrEqual), zero, v, pass)
			VMOVUPS_Z(g, pass, g)
		case s.neon:
			s.clear("FCMGE", zero, v, g)
		default:
			pass := s.vec()
			VCMPPS(Imm(notLessOrEqual), zero, v, pass)
			VANDPS(pass, g, g)
		}
		s.store(g, Mem{Base: dst, Disp: d}, k)
	})
	s.end()

	s.begin("addBias", "adds bias to each row of x.", "(x, bias *float32, rows, ld, d int)")
	x, rows, ld := ptr("x"), ptr("rows"), ptr("ld")
	width := ptr("d")
	SHLQ(Imm(2), ld)
	top := s.label("row")
	Label(top)
	row, b, left := GP64(), ptr("bias"), GP64()
	MOVQ(x, row)
	MOVQ(width, left)
	s.each(left, []reg.GPVirtual{row, b}, 1, func(_, d int, k mask) {
		v := s.load(Mem{Base: row, Disp: d}, k)
		VADDPS(s.operand(Mem{Base: b, Disp: d}, k), v, v)
		s.store(v, Mem{Base: row, Disp: d}, k)
	})
	ADDQ(ld, x)
	DECQ(rows)
	JNZ(LabelRef(top))
	s.end()
}

// operand returns memory as an operand, through a register if it is masked.
func (s *isa) operand(m Mem, k mask) Op {
	if k == nil {
		return m
	}
	return s.load(m, k)
}
