//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"imdbexp/internal/simd/gen/neon"
)

// reductions writes the kernels that end in a tree over the 16 lanes.
func reductions(s *isa) {
	s.begin("dot", "(x, y *float32, n int) float32")
	x, y, n := ptr("x"), ptr("y"), ptr("n")
	acc := s.group()
	// A sum of −0 becomes +0 where a product of zeros is added.
	s.eachLane(n, []reg.GPVirtual{x, y}, 4, func(p, d int, k mask) {
		v := s.load(Mem{Base: x, Disp: d}, k)
		VFMADD231PS(s.operand(Mem{Base: y, Disp: d}, k), v, acc[p])
	}, func(p int) { VADDPS(s.zero(), acc[p], acc[p]) })
	s.result(s.tree(acc, VADDPS))

	s.begin("sum", "(x *float32, n int) float32")
	x, n = ptr("x"), ptr("n")
	acc = s.group()
	s.eachLane(n, []reg.GPVirtual{x}, 4, func(p, d int, k mask) {
		VADDPS(s.operand(Mem{Base: x, Disp: d}, k), acc[p], acc[p])
	}, nil)
	s.result(s.tree(acc, VADDPS))

	maximum(s)
	sumSquares(s)
	softmax(s)
}

// group returns the 16 lanes of an accumulator, all zero.
func (s *isa) group() []reg.VecVirtual {
	g := make([]reg.VecVirtual, s.parts)
	for i := range g {
		g[i] = s.zero()
	}
	return g
}

func (s *isa) result(x reg.VecVirtual) {
	Store(x, ReturnIndex(0))
	s.end()
}

func maximum(s *isa) {
	s.begin("max", "(x *float32, n int) (m float32, ok bool)", -inf)
	x, n := ptr("x"), ptr("n")
	acc := make([]reg.VecVirtual, s.parts)
	for p := range acc {
		acc[p] = s.copy(s.c(-inf))
	}
	bad := s.zero()
	s.eachLane(n, []reg.GPVirtual{x}, 4, func(p, d int, k mask) {
		v := s.load(Mem{Base: x, Disp: d}, k)
		switch {
		case k == nil:
		case s.zmm:
			VBLENDMPS(v, acc[p], k, v)
		default:
			VBLENDVPS(s.signs(k), v, acc[p], v)
		}
		// VMAXPS forgets a NaN at the next element, so NaN are recorded separately.
		nan := s.vec()
		if s.zmm {
			u := K()
			VCMPPS(Imm(unordered), v, v, u)
			VPMOVM2D(u, nan)
		} else {
			VCMPPS(Imm(unordered), v, v, nan)
		}
		VORPS(nan, bad, bad)
		VMAXPS(acc[p], v, acc[p])
	}, nil)
	ok := GP32()
	if s.zmm {
		k := K()
		VPMOVD2M(bad, k)
		KMOVW(k, ok)
	} else {
		VMOVMSKPS(bad, ok)
	}
	flag := GP8()
	TESTL(ok, ok)
	SETEQ(flag)
	Store(flag, Return("ok"))
	// A NaN in a lane makes the number meaningless; the caller checks ok first. Of equal lanes (±0)
	// the lower one stays, as with the comparison in the portable code.
	Store(s.tree(acc, VMAXPS), Return("m"))
	s.end()
}

func sumSquares(s *isa) {
	s.begin("sumSquares", "(x *float32, n int) float64")
	x, n := ptr("x"), ptr("n")
	acc := make([]reg.VecVirtual, 2*s.parts) // a register holds half as many float64
	for i := range acc {
		acc[i] = s.zero()
	}
	s.eachLane(n, []reg.GPVirtual{x}, 2, func(p, d int, k mask) {
		v := s.load(Mem{Base: x, Disp: d}, k)
		lo, hi := s.vec(), s.vec()
		if s.neon {
			neon.Two("FCVTL", v, lo)
			neon.Two("FCVTL2", v, hi)
			neon.SquareAdd(lo, acc[2*p])
			neon.SquareAdd(hi, acc[2*p+1])
			return
		}
		if s.zmm {
			h := YMM()
			VEXTRACTF32X8(Imm(1), v, h)
			VCVTPS2PD(v.AsY(), lo)
			VCVTPS2PD(h, hi)
		} else {
			h := XMM()
			VEXTRACTF128(Imm(1), v, h)
			VCVTPS2PD(v.AsX(), lo)
			VCVTPS2PD(h, hi)
		}
		VFMADD231PD(lo, lo, acc[2*p])
		VFMADD231PD(hi, hi, acc[2*p+1])
	}, nil)
	if s.neon {
		for h := len(acc) / 2; h > 0; h /= 2 {
			for i := range h {
				neon.Three("FADD.2D", acc[h+i], acc[i], acc[i])
			}
		}
		t := s.vec()
		VUNPCKHPD(acc[0], acc[0], t)
		neon.Three("FADD.2D", t, acc[0], t)
		s.result(t)
		return
	}
	y, z, t := YMM(), XMM(), XMM()
	if s.zmm {
		VADDPD(acc[1], acc[0], acc[0])
		VEXTRACTF64X4(Imm(1), acc[0], y)
		VADDPD(acc[0].AsY(), y, y)
	} else {
		VADDPD(acc[2], acc[0], acc[0])
		VADDPD(acc[3], acc[1], acc[1])
		VADDPD(acc[1], acc[0], y)
	}
	VEXTRACTF128(Imm(1), y, z)
	VADDPD(y.AsX(), z, z)
	VUNPCKHPD(z, z, t)
	VADDPD(t, z, z)
	s.result(z)
}

// softmax writes the numerators and returns their sum.
func softmax(s *isa) {
	s.begin("expSum", "(dst, x *float32, n int, m float32) float32", expConsts...)
	dst, x, n, m := ptr("dst"), ptr("x"), ptr("n"), s.broadcast("m")
	acc := s.group()
	s.eachLane(n, []reg.GPVirtual{dst, x}, 1, func(p, d int, k mask) {
		v := s.load(Mem{Base: x, Disp: d}, k)
		VSUBPS(m, v, v)
		e := s.exp(v)
		s.store(e, Mem{Base: dst, Disp: d}, k)
		switch {
		case k == nil:
			VADDPS(e, acc[p], acc[p])
		case s.zmm:
			VADDPS(e, acc[p], k, acc[p])
		default:
			VANDPS(s.signs(k), e, e)
			VADDPS(e, acc[p], acc[p])
		}
	}, nil)
	s.result(s.tree(acc, VADDPS))
}
