//go:build generate

package main

import (
	"fmt"
	"log"
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"imdbexp/internal/simd/gen/neon"
)

// isa hides the differences between the levels. A group is 16 elements: one ZMM
// register, the two parts of an AVX2 group or the four of NEON, whose registers are
// described as XMM.
type isa struct {
	zmm   bool // AVX-512
	neon  bool
	parts int // registers in a group
	lanes int // elements in a register

	held   map[uint32]reg.VecVirtual // constants in registers
	paired bool                      // interleave parts, see together; until the function's end
	labels int
}

func (s *isa) suffix() string {
	if s.zmm {
		return "AVX512"
	}
	return "AVX2"
}

// begin starts a function. The constants held are kept in registers if there
// are enough of them.
func (s *isa) begin(name, args string, held ...float32) {
	full := name + "Vec"
	if !s.neon {
		full = name + s.suffix() + "<>"
	}
	TEXT(full, NOSPLIT, "func"+args)
	if s.zmm {
		kernels = append(kernels, kernel{name, args})
	}
	s.held = map[uint32]reg.VecVirtual{}
	s.labels = 0
	for _, v := range held {
		s.hold(math.Float32bits(v))
	}
}

func (s *isa) hold(bits uint32) {
	if s.held[bits] != nil {
		return
	}
	if !s.zmm && !s.neon && !(s.paired && slices.Contains(firstOperands, math.Float32frombits(bits))) {
		return
	}
	r := s.vec()
	VBROADCASTSS(constant(bits), r)
	s.held[bits] = r
}

func (s *isa) end() {
	s.paired = false
	VZEROUPPER()
	RET()
}

// c returns a constant as an operand: a register if it is held, memory otherwise.
func (s *isa) c(v float32) Op { return s.bits(math.Float32bits(v)) }

// bits is c for a constant of given bits.
func (s *isa) bits(b uint32) Op {
	if r := s.held[b]; r != nil {
		return r
	}
	return constant(b)
}

// r returns a constant in a register, not to be changed.
func (s *isa) r(v float32) reg.VecVirtual {
	if r := s.held[math.Float32bits(v)]; r != nil {
		return r
	}
	return s.copy(s.c(v))
}

// copy returns a new register with the value of an operand.
func (s *isa) copy(o Op) reg.VecVirtual {
	d := s.vec()
	VMOVUPS(o, d)
	return d
}

func (s *isa) vec() reg.VecVirtual {
	switch {
	case s.zmm:
		return ZMM()
	case s.neon:
		return XMM()
	}
	return YMM()
}

func (s *isa) zero() reg.VecVirtual {
	d := s.vec()
	VXORPS(d, d, d)
	return d
}

// broadcast copies a function's float32 parameter to all lanes.
func (s *isa) broadcast(name string) reg.VecVirtual {
	d := s.vec()
	VBROADCASTSS(param(name), d)
	return d
}

// param returns where a function's parameter lies.
func param(name string) Mem {
	a, err := Param(name).Resolve()
	if err != nil {
		log.Fatalf("parameter %s: %v", name, err)
	}
	return a.Addr
}

func (s *isa) label(name string) string {
	s.labels++
	return fmt.Sprintf("%s%d", name, s.labels)
}

// mask selects lanes; nil selects all. It is an opmask, with AVX2 a register of sign
// bits, and with NEON, which has no masks, the number of lanes in a general register.
type mask reg.Register

func (s *isa) load(m Mem, k mask) reg.VecVirtual {
	d := s.vec()
	s.loadInto(m, k, d)
	return d
}

func (s *isa) loadInto(m Mem, k mask, d reg.VecVirtual) {
	switch {
	case k == nil:
		VMOVUPS(m, d)
	case s.zmm:
		VMOVUPS_Z(m, k, d)
	case s.neon:
		neon.LoadFirst(m, k.(reg.GPVirtual), d)
	default:
		VMASKMOVPS(m, k, d)
	}
}

func (s *isa) store(v reg.VecVirtual, m Mem, k mask) {
	switch {
	case k == nil:
		VMOVUPS(v, m)
	case s.zmm:
		VMOVUPS(v, k, m)
	case s.neon:
		neon.StoreFirst(m, k.(reg.GPVirtual), v)
	default:
		VMASKMOVPS(v, k, m)
	}
}

// Three-operand arithmetic into a new register: op(a, b).

func (s *isa) add(a reg.VecVirtual, b Op) reg.VecVirtual { d := s.vec(); VADDPS(b, a, d); return d }
func (s *isa) sub(a reg.VecVirtual, b Op) reg.VecVirtual { d := s.vec(); VSUBPS(b, a, d); return d }
func (s *isa) mul(a reg.VecVirtual, b Op) reg.VecVirtual { d := s.vec(); VMULPS(b, a, d); return d }
func (s *isa) div(a reg.VecVirtual, b Op) reg.VecVirtual { d := s.vec(); VDIVPS(b, a, d); return d }
func (s *isa) and(a reg.VecVirtual, b Op) reg.VecVirtual { d := s.vec(); VANDPS(b, a, d); return d }
func (s *isa) or(a reg.VecVirtual, b Op) reg.VecVirtual  { d := s.vec(); VORPS(b, a, d); return d }
func (s *isa) xor(a reg.VecVirtual, b Op) reg.VecVirtual { d := s.vec(); VXORPS(b, a, d); return d }

// min and max return x where x is NaN or equal.
func (s *isa) min(limit, x reg.VecVirtual) reg.VecVirtual {
	d := s.vec()
	VMINPS(x, limit, d)
	return d
}

func (s *isa) max(limit, x reg.VecVirtual) reg.VecVirtual {
	d := s.vec()
	VMAXPS(x, limit, d)
	return d
}

// horner returns the polynomial in x with coefficients from the highest down.
func (s *isa) horner(x reg.VecVirtual, coeffs ...float32) reg.VecVirtual {
	p := s.copy(s.c(coeffs[0]))
	if s.neon {
		for _, c := range coeffs[1:] {
			p = s.fma(p, x, c)
		}
		return p
	}
	for _, c := range coeffs[1:] {
		VFMADD213PS(s.c(c), x, p)
	}
	return p
}

// fma returns a·b + c in a new register.
func (s *isa) fma(a, b reg.VecVirtual, c float32) reg.VecVirtual {
	d := s.copy(s.c(c))
	VFMADD231PS(a, b, d)
	return d
}

// first returns a mask of the first n lanes, 0 ≤ n ≤ lanes.
func (s *isa) first(n reg.GPVirtual) mask {
	if s.neon {
		return n
	}
	if s.zmm {
		b := GP32()
		MOVL(U32(1), b)
		MOVQ(n, reg.RCX)
		SHLL(reg.CL, b)
		DECL(b)
		k := K()
		KMOVW(b, k)
		return k
	}
	return s.maskAt(n, 0)
}

// firstOfGroup returns a mask for each part of a group's first n lanes, 0 ≤ n ≤ 16.
func (s *isa) firstOfGroup(n reg.GPVirtual) []mask {
	if s.zmm {
		return []mask{s.first(n)}
	}
	if s.neon {
		return nil // tail makes them
	}
	return []mask{s.maskAt(n, 0), s.maskAt(n, 32)}
}

// tree adds up the 16 lanes of a group, in the order of package simd, into the
// first lane of the result.
func (s *isa) tree(acc []reg.VecVirtual, op func(ops ...Op)) reg.VecVirtual {
	y, x, t := YMM(), XMM(), XMM()
	if s.neon {
		z := XMM()
		op(acc[0], acc[2], x)
		op(acc[1], acc[3], z)
		op(x, z, x)
	} else {
		if s.zmm {
			VEXTRACTF32X8(Imm(1), acc[0], y)
			op(acc[0].AsY(), y, y)
		} else {
			op(acc[0], acc[1], y)
		}
		VEXTRACTF128(Imm(1), y, x)
		op(y.AsX(), x, x)
	}
	VMOVHLPS(x, x, t)
	op(x, t, x)
	VMOVSHDUP(x, t)
	op(x, t, x)
	return x
}

// clear sets the lanes of x to zero where a NEON comparison of a and b is true.
func (s *isa) clear(compare string, a, b, x reg.VecVirtual) {
	k := s.vec()
	neon.Three(compare, b, a, k)
	VANDNPS(x, k, x)
}

// signs returns a mask as a register of sign bits (AVX2 and NEON).
func (s *isa) signs(k mask) reg.Register {
	if s.neon {
		return s.maskAt(k.(reg.GPVirtual), 0)
	}
	return k
}
