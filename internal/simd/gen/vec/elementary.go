//go:build generate

package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"imdbexp/internal/simd/gen/neon"
)

// The constants of simd/exp.go.
const (
	log2e    = 1.44269504088896341
	ln2Hi    = 0.693145751953125
	ln2Lo    = 1.428606820309417e-06
	roundInt = 3 << 22
	expMax   = 89
	expMin   = -104
	tanhMax  = 10
	tanhHalf = 0.54930615
)

var (
	signBit = math.Float32frombits(1 << 31)
	absMask = math.Float32frombits(1<<31 - 1)
	inf     = float32(math.Inf(1))
	nan     = float32(math.NaN())

	expCoeffs  = []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, 1}
	tanhCoeffs = []float32{-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1}
	logCoeffs  = []float32{7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1}

	expConsts     = append([]float32{log2e, roundInt, -ln2Hi, -ln2Lo, expMin, expMax}, expCoeffs...)
	sigmoidConsts = append([]float32{log2e, roundInt, -ln2Hi, -ln2Lo, expMin, signBit}, expCoeffs...)
	tanhConsts    = append(append([]float32{log2e, roundInt, -ln2Hi, -ln2Lo, tanhMax, tanhHalf, 2, absMask}, expCoeffs...), tanhCoeffs...)
	logConsts     = append([]float32{0, 0x1p-126, 1 << 25, -25, 1, -0.5, ln2Hi, ln2Lo, nan, inf, -inf, float32frombits(0x3f3504f3), float32frombits(1<<23 - 1)}, logCoeffs...)
)

// firstOperands are the constants that an instruction uses as the operand that cannot
// be memory. AVX2 has registers only for these.
var firstOperands = []float32{log2e, expMin, expMax, softmaxMin}

// float32frombits is a constant given by its bits.
func float32frombits(b uint32) float32 { return math.Float32frombits(b) }

func elementary(s *isa) {
	unary := func(name string, held []float32, f func(x reg.VecVirtual) reg.VecVirtual) {
		s.paired = !s.neon
		s.begin(name, "(dst, x *float32, n int)", held...)
		s.along("dst x n").each(s.chains(), func(m []Mem, k mask) { s.store(f(s.load(m[1], k)), m[0], k) })
	}
	unary("exp", expConsts, s.exp)
	unary("log", logConsts, s.log)
	unary("sigmoid", sigmoidConsts, s.sigmoid)
	unary("tanh", tanhConsts, s.tanh)
}

// ptr loads a parameter of 64 bits.
func ptr(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// reduced returns exp(r) for x = n·ln2 + r, with n as a float32 and as the low
// bits of t. It destroys x.
func (s *isa) reduced(x reg.VecVirtual) (p, f, t reg.VecVirtual) {
	if s.neon {
		t = s.fma(x, s.r(log2e), roundInt)
	} else {
		t = s.copy(x)
		VFMADD213PS(s.c(roundInt), s.r(log2e), t)
	}
	f = s.sub(t, s.c(roundInt))
	VFMADD231PS(s.c(-ln2Hi), f, x)
	VFMADD231PS(s.c(-ln2Lo), f, x)
	return s.horner(x, expCoeffs...), f, t
}

// exp returns eˣ and does not change x.
func (s *isa) exp(x reg.VecVirtual) reg.VecVirtual {
	return s.expBelow(s.min(s.r(expMax), x))
}

// expBelow is exp for arguments up to expMax. It destroys x.
func (s *isa) expBelow(x reg.VecVirtual) reg.VecVirtual {
	p, f, t := s.reduced(s.max(s.r(expMin), x))
	if s.zmm {
		VSCALEFPS(f, p, p)
		return p
	}
	// h = n>>1, then 2ʰ and 2ⁿ⁻ʰ.
	h := s.vec()
	VPSUBD(s.c(roundInt), t, t)
	VPSRAD(Imm(1), t, h)
	VPSUBD(h, t, t)
	return s.mul(s.mul(p, s.pow2(h)), s.pow2(t))
}

// expAbove is expBelow for arguments from softmaxMin to expMax (AVX2 and NEON), where
// 2ⁿ⁻¹ is a float32 and one product is enough.
func (s *isa) expAbove(x reg.VecVirtual) reg.VecVirtual {
	p, _, n := s.reduced(x)
	d := s.vec()
	VPSLLD(Imm(23), n, d)
	VPADDD(s.c(0.5), d, d)
	return s.mul(s.add(p, p), d)
}

// pow2 turns integers, whose low 9 bits are used, into powers of two.
func (s *isa) pow2(n reg.VecVirtual) reg.VecVirtual {
	d := s.vec()
	VPSLLD(Imm(23), n, d)
	VPADDD(s.c(1), d, d)
	return d
}

func (s *isa) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	e := s.expBelow(s.or(x, s.c(signBit)))
	d := s.add(e, s.c(1))
	num := s.vec()
	if s.zmm {
		k := K()
		VPMOVD2M(x, k)
		VBLENDMPS(e, s.c(1), k, num)
		q := s.div(num, d)
		VFNMADD213PS(num, num, k, q)
		return q
	}
	if s.neon {
		negative := s.vec()
		VPSRAD(Imm(31), x, negative)
		neon.Choose(negative, e, s.r(1), num)
		q := s.div(num, d)
		y := s.copy(num)
		VFNMADD231PS(num, q, y)
		neon.Choose(negative, y, q, q)
		return q
	}
	VBLENDVPS(x, e, s.r(1), num)
	q := s.div(num, d)
	y := s.copy(q)
	VFNMADD213PS(num, num, y)
	VBLENDVPS(x, y, q, q)
	return q
}

func (s *isa) tanh(x reg.VecVirtual) reg.VecVirtual {
	a := s.and(x, s.c(absMask))
	z := s.mul(a, a)
	q := s.horner(z, tanhCoeffs...)
	VMULPS(q, z, q)
	if s.neon {
		small := s.copy(a)
		VFMADD231PS(q, a, small)
		q = small
	} else {
		VFMADD213PS(a, a, q) // small: q·a + a
	}

	y := s.min(s.r(tanhMax), a)
	VADDPS(y, y, y)
	p, f, t := s.reduced(y)
	if s.zmm {
		VSCALEFPS(f, p, p)
		VADDPS(s.c(1), p, p)
		k := K()
		VCMPPS(Imm(notLess), s.c(tanhHalf), a, k)
		VSUBPS(s.div(s.r(2), p), s.r(1), k, q)
		VPTERNLOGD(Imm(0xe4), s.c(absMask), x, q) // the sign of x, the rest of q
		return q
	}
	k := s.vec()
	if s.neon {
		b := s.sub(s.r(1), s.div(s.r(2), s.fma(s.pow2(t), p, 1)))
		neon.Three("FCMGT", a, s.r(tanhHalf), k)
		neon.Choose(k, q, b, q)
		neon.Choose(s.r(absMask), q, x, q)
		return q
	}
	VFMADD213PS(s.c(1), s.pow2(t), p)
	b := s.sub(s.r(1), s.div(s.r(2), p))
	VCMPPS(Imm(notLess), s.c(tanhHalf), a, k)
	VBLENDVPS(k, b, q, q)
	VANDPS(s.c(absMask), q, q)
	sign := s.copy(s.c(absMask))
	VANDNPS(x, sign, sign)
	return s.or(sign, q)
}

// Predicates of VCMPPS. Those with "not" are true for NaN.
const (
	equal      = 0
	less       = 1
	unordered  = 3
	notLess    = 5
	notAtLeast = 9
)

func (s *isa) log(x reg.VecVirtual) reg.VecVirtual {
	// Subnormals are scaled by 2²⁵ first.
	y, e := s.copy(x), s.zero()
	scaled := s.mul(x, s.c(1<<25))
	s.choose(y, less, x, s.c(0x1p-126), scaled)
	s.choose(e, less, x, s.c(0x1p-126), s.c(-25))

	base := float32frombits(0x3f3504f3)
	VPSUBD(s.c(base), y, y)
	n := s.vec()
	VPSRAD(Imm(23), y, n)
	VCVTDQ2PS(n, n)
	VADDPS(e, n, n)
	VANDPS(s.c(float32frombits(1<<23-1)), y, y)
	VPADDD(s.c(base), y, y)
	f := s.sub(y, s.c(1))

	p := s.horner(f, logCoeffs...)
	f2 := s.mul(f, f)
	VMULPS(f, p, p)
	VMULPS(f2, p, p)
	VFMADD231PS(s.c(ln2Lo), n, p)
	VFMADD231PS(s.c(-0.5), f2, p)
	VADDPS(f, p, p)
	VFMADD231PS(s.c(ln2Hi), n, p)

	s.choose(p, notAtLeast, x, s.c(0), s.c(nan))
	s.choose(p, equal, x, s.c(0), s.c(-inf))
	s.choose(p, equal, x, s.c(inf), s.c(inf))
	return p
}

// choose sets the lanes of d to v if a and b compare as given.
func (s *isa) choose(d reg.VecVirtual, predicate uint64, a reg.VecVirtual, b, v Op) {
	if s.zmm {
		k := K()
		VCMPPS(Imm(predicate), b, a, k)
		VBLENDMPS(v, d, k, d)
		return
	}
	k := s.vec()
	VCMPPS(Imm(predicate), b, a, k)
	VBLENDVPS(k, v, d, d)
}
