//go:build generate

package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// arithmetic writes the element-wise kernels that memory bounds.
func arithmetic(s *isa) {
	const unroll = 4
	s.begin("axpy", "(dst, x *float32, n int, a float32)")
	e, a := s.along("dst x n"), s.broadcast("a")
	e.each(unroll, func(m []Mem, k mask) {
		y := s.load(m[0], k)
		VFMADD231PS(s.operand(m[1], k), a, y)
		s.store(y, m[0], k)
	})

	s.begin("add", "(dst, x *float32, n int)")
	s.along("dst x n").each(unroll, func(m []Mem, k mask) {
		y := s.load(m[0], k)
		VADDPS(s.operand(m[1], k), y, y)
		s.store(y, m[0], k)
	})

	s.begin("mul", "(dst, x, y *float32, n int)")
	s.along("dst x n y").each(unroll, func(m []Mem, k mask) {
		v := s.load(m[1], k)
		VMULPS(s.operand(m[2], k), v, v)
		s.store(v, m[0], k)
	})

	s.begin("scale", "(dst *float32, n int, a float32)")
	e, a = s.along("dst n"), s.broadcast("a")
	e.each(unroll, func(m []Mem, k mask) { s.store(s.mul(a, s.operand(m[0], k)), m[0], k) })

	s.begin("fill", "(dst *float32, n int, a float32)")
	e, a = s.along("dst n"), s.broadcast("a")
	e.each(unroll, func(m []Mem, k mask) { s.store(a, m[0], k) })

	s.begin("relu", "(dst, x *float32, n int)")
	e, zero := s.along("dst x n"), s.zero()
	e.each(unroll, func(m []Mem, k mask) { s.store(s.max(zero, s.load(m[1], k)), m[0], k) })

	s.begin("reluGrad", "(dst, x, dy *float32, n int)")
	e, zero = s.along("dst x n dy"), s.zero()
	e.each(unroll, func(m []Mem, k mask) {
		v, g := s.load(m[1], k), s.load(m[2], k)
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
		s.store(g, m[0], k)
	})

	s.begin("addBias", "(x, bias *float32, rows, ld, d int)")
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

// elements are the vectors that a kernel goes along.
type elements struct {
	s    *isa
	ptrs []reg.GPVirtual
	n    reg.GPVirtual // their length
}

// along loads a kernel's parameters: vectors, and their length n.
func (s *isa) along(params string) elements {
	e := elements{s: s}
	for _, p := range strings.Fields(params) {
		if r := ptr(p); p == "n" {
			e.n = r
		} else {
			e.ptrs = append(e.ptrs, r)
		}
	}
	return e
}

// each writes the loop of a kernel and its end; body gets the memory of a part of each vector.
func (e elements) each(unroll int, body func(m []Mem, k mask)) {
	e.s.each(e.n, e.ptrs, unroll, func(_, d int, k mask) { body(displaced(e.ptrs, d), k) })
	e.s.end()
}

// displaced returns the memory d bytes after each pointer.
func displaced(ptrs []reg.GPVirtual, d int) []Mem {
	m := make([]Mem, len(ptrs))
	for i, p := range ptrs {
		m[i] = Mem{Base: p, Disp: d}
	}
	return m
}

// operand returns memory as an operand, through a register if it is masked.
func (s *isa) operand(m Mem, k mask) Op {
	if k == nil {
		return m
	}
	return s.load(m, k)
}
