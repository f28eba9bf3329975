//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// steps writes the optimisers' kernels.
func steps(s *isa) {
	for _, momentum := range []bool{false, true} {
		sgd(s, momentum)
	}
	adam(s)
	adamRows(s)
}

func sgd(s *isa, momentum bool) {
	name, args := "sgd", "(w, grad *float32, n int, negLR, decay float32)"
	if momentum {
		name, args = "sgdMomentum", "(w, grad, v *float32, n int, negLR, decay, momentum float32)"
	}
	s.begin(name, args)
	e := s.along("w grad n")
	lr, decay := s.broadcast("negLR"), s.broadcast("decay")
	var mu reg.VecVirtual
	if momentum {
		e.ptrs, mu = append(e.ptrs, ptr("v")), s.broadcast("momentum")
	}
	e.each(2, func(m []Mem, k mask) {
		x, y := s.load(m[0], k), s.load(m[1], k)
		VFMADD231PS(x, decay, y)
		if momentum {
			VFMADD231PS(s.operand(m[2], k), mu, y)
			s.store(y, m[2], k)
		}
		VFMADD231PS(y, lr, x)
		s.store(x, m[0], k)
	})
}

func adam(s *isa) {
	s.begin("adam", "(w, grad, m, v *float32, n int, k *[8]float32)")
	e := s.along("w grad m v n")
	e.each(1, s.adamStep())
}

// prefetchRows is how many rows ahead adamRows prefetches.
const prefetchRows = 4

// adamRows is adam for rows of d elements of w, m and v; the rows of grad are
// contiguous.
func adamRows(s *isa) {
	s.begin("adamRows", "(w, grad, m, v *float32, d int, ids *int32, rows int, k *[8]float32)")
	w, m, v, d := ptr("w"), ptr("m"), ptr("v"), ptr("d")
	g, ids, rows := ptr("grad"), ptr("ids"), ptr("rows")
	step := s.adamStep()
	full := GP64()
	MOVQ(d, full)
	rest, last := s.split(d, full)
	distance := GP64()
	MOVQ(U32(prefetchRows), distance)

	top, group, tail, next := s.label("row"), s.label("group"), s.label("rest"), s.label("next")
	Label(top)
	at, left := GP64(), GP64()
	MOVLQSX(Mem{Base: ids}, at)
	IMULQ(d, at)
	wr, mr, vr := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: w, Index: at, Scale: 4}, wr)
	LEAQ(Mem{Base: m, Index: at, Scale: 4}, mr)
	LEAQ(Mem{Base: v, Index: at, Scale: 4}, vr)
	// Rows lie anywhere in a table that no cache holds: prefetch one ahead.
	ahead := GP64()
	XORQ(ahead, ahead)
	CMPQ(rows, Imm(prefetchRows))
	CMOVQGT(distance, ahead)
	MOVLQSX(Mem{Base: ids, Index: ahead, Scale: 4}, ahead)
	IMULQ(d, ahead)
	for _, p := range []reg.GPVirtual{w, m, v} {
		for line := range 4 {
			PREFETCHT0(Mem{Base: p, Index: ahead, Scale: 4, Disp: 64 * line})
		}
	}
	ptrs := []reg.GPVirtual{wr, g, mr, vr}
	part := func(p int, k mask) { step(displaced(ptrs, p*s.lanes*4), k) }
	MOVQ(full, left)
	s.overRow(row{left, rest, last, ptrs}, group, tail, next, func() {}, part, nil)
	LEAQ(Mem{Base: g, Index: rest, Scale: 4}, g)
	Label(next)
	ADDQ(Imm(4), ids)
	DECQ(rows)
	JNZ(LabelRef(top))
	s.end()
}

// adamStep loads the constants of a step. It returns a function that generates the step for one
// register of elements of w, grad, m and v.
func (s *isa) adamStep() func(at []Mem, k mask) {
	consts, next := ptr("k"), 0
	constant := func() reg.VecVirtual {
		r := s.vec()
		VBROADCASTSS(Mem{Base: consts, Disp: 4 * next}, r)
		next++
		return r
	}
	beta2, omBeta1, omBeta2 := constant(), constant(), constant()
	eps, negStep, sqrtBias2 := constant(), constant(), constant()
	decay, negDecoupled := constant(), constant()
	return func(at []Mem, k mask) {
		x, y := s.load(at[0], k), s.load(at[1], k)
		VFMADD231PS(x, decay, y)
		VFMADD231PS(x, negDecoupled, x)
		m0 := s.load(at[2], k)
		VFMADD231PS(s.sub(y, m0), omBeta1, m0)
		s.store(m0, at[2], k)
		v0 := s.load(at[3], k)
		VMULPS(beta2, v0, v0)
		VMULPS(y, y, y)
		VFMADD231PS(omBeta2, y, v0)
		s.store(v0, at[3], k)
		VSQRTPS(v0, v0)
		VDIVPS(sqrtBias2, v0, v0)
		VADDPS(eps, v0, v0)
		VFMADD231PS(s.div(m0, v0), negStep, x)
		s.store(x, at[0], k)
	}
}
