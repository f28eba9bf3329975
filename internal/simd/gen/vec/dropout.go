//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"imdbexp/internal/simd/gen/neon"
)

// dropout writes the kernel of Dropout: simd/random.go's hash32 in each lane.
func dropout(s *isa) {
	s.begin("dropout", "(dst, x *float32, n int, lo, hi, threshold uint32, scale float32)",
		float32frombits(0x21f0aaad), float32frombits(0xd35a2d97))
	dst, x, n := ptr("dst"), ptr("x"), ptr("n")
	lo, hi, threshold, scale := s.broadcast("lo"), s.broadcast("hi"), s.broadcast("threshold"), s.broadcast("scale")
	step := s.vec()
	index := make([]reg.VecVirtual, s.parts)
	words := make([]uint32, 32)
	for i := range 16 {
		words[i], words[16+i] = uint32(i), 16
	}
	iota := table("iota", words...)
	for p := range index {
		index[p] = s.copy(iota.Offset(4 * s.lanes * p))
	}
	VMOVUPS(iota.Offset(64), step)
	s.eachLane(n, []reg.GPVirtual{dst, x}, 2, func(p, d int, k mask) {
		h := s.xor(index[p], lo)
		VPADDD(step, index[p], index[p])
		s.mix32(h)
		VPADDD(hi, h, h)
		s.mix32(h)
		s.store(s.keep(h, threshold, scale, Mem{Base: x, Disp: d}, k), Mem{Base: dst, Disp: d}, k)
	}, nil)
	s.end()
}

// keep returns scale·x where the hash is at least the threshold, otherwise 0.
func (s *isa) keep(hash, threshold, scale reg.VecVirtual, x Mem, k mask) reg.VecVirtual {
	if s.zmm {
		keep := K()
		const unsignedAtLeast = 5
		VPCMPUD(Imm(unsignedAtLeast), threshold, hash, keep)
		v := s.load(x, k)
		VMULPS_Z(scale, v, keep, v)
		return v
	}
	keep := s.vec()
	if s.neon {
		neon.Three("CMHS", threshold, hash, keep)
	} else {
		VPMAXUD(threshold, hash, keep)
		VPCMPEQD(keep, hash, keep)
	}
	v := s.mul(scale, s.operand(x, k))
	VANDPS(keep, v, v)
	return v
}

func (s *isa) mix32(x reg.VecVirtual) {
	t := s.vec()
	shift := func(n uint64) {
		VPSRLD(Imm(n), x, t)
		VXORPS(t, x, x)
	}
	shift(16)
	VPMULLD(s.c(float32frombits(0x21f0aaad)), x, x)
	shift(15)
	VPMULLD(s.c(float32frombits(0xd35a2d97)), x, x)
	shift(15)
}
