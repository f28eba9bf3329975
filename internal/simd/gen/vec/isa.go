package main

import (
	"fmt"
	"log"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa hides the difference between the two levels. A group is 16 elements: one
// ZMM register, or the two parts of an AVX2 group.
type isa struct {
	wide  bool // AVX-512
	parts int  // registers in a group
	lanes int  // elements in a register

	held   map[uint32]reg.VecVirtual // constants in registers (AVX-512)
	labels int
}

func (s *isa) suffix() string {
	if s.wide {
		return "AVX512"
	}
	return "AVX2"
}

// begin starts a function; a constant of held is kept in a register where there
// are enough of them.
func (s *isa) begin(name, doc, args string, held ...float32) {
	full := name + s.suffix()
	TEXT(full, NOSPLIT, "func"+args)
	Pragma("noescape")
	Doc(full + " " + doc)
	signatures = append(signatures, full+args)
	s.held = map[uint32]reg.VecVirtual{}
	s.labels = 0
	for _, v := range held {
		s.hold(math.Float32bits(v))
	}
}

func (s *isa) hold(bits uint32) {
	if !s.wide || s.held[bits] != nil {
		return
	}
	r := ZMM()
	VBROADCASTSS(constant(bits), r)
	s.held[bits] = r
}

func (s *isa) end() {
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
	if s.wide {
		return ZMM()
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

// mask selects lanes; nil selects all. It is an opmask or, with AVX2, a register
// of sign bits.
type mask reg.Register

func (s *isa) load(m Mem, k mask) reg.VecVirtual {
	d := s.vec()
	switch {
	case k == nil:
		VMOVUPS(m, d)
	case s.wide:
		VMOVUPS_Z(m, k, d)
	default:
		VMASKMOVPS(m, k, d)
	}
	return d
}

func (s *isa) store(v reg.VecVirtual, m Mem, k mask) {
	switch {
	case k == nil:
		VMOVUPS(v, m)
	case s.wide:
		VMOVUPS(v, k, m)
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
	for _, c := range coeffs[1:] {
		VFMADD213PS(s.c(c), x, p)
	}
	return p
}

// first returns a mask of the first n lanes, 0 ≤ n ≤ lanes.
func (s *isa) first(n reg.GPVirtual) mask {
	if s.wide {
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
	if s.wide {
		return []mask{s.first(n)}
	}
	return []mask{s.maskAt(n, 0), s.maskAt(n, 32)}
}

// maskAt loads from the table of 16 ones and 16 zeros.
func (s *isa) maskAt(n reg.GPVirtual, disp int) mask {
	p, i := GP64(), GP64()
	LEAQ(maskTable(), p)
	MOVQ(n, i)
	NEGQ(i)
	k := YMM()
	VMOVUPS(Mem{Base: p, Index: i, Scale: 4, Disp: 64 + disp}, k)
	return k
}

// each walks over n elements in groups. body handles one part of a group whose
// pointers have advanced; disp is the part's distance from them in bytes. The
// last group is masked.
func (s *isa) each(n reg.GPVirtual, ptrs []reg.GPVirtual, unroll int, body func(part, disp int, k mask)) {
	group := func(disp int, ks []mask) {
		for p := range s.parts {
			var k mask
			if ks != nil {
				k = ks[p]
			}
			body(p, disp+p*s.lanes*4, k)
		}
	}
	loop := func(groups int) {
		top, out := s.label("loop"), s.label("after")
		CMPQ(n, U32(16*groups))
		JLT(LabelRef(out))
		Label(top)
		for u := range groups {
			group(64*u, nil)
		}
		for _, p := range ptrs {
			ADDQ(U32(64*groups), p)
		}
		SUBQ(U32(16*groups), n)
		CMPQ(n, U32(16*groups))
		JGE(LabelRef(top))
		Label(out)
	}
	if unroll > 1 {
		loop(unroll)
	}
	loop(1)
	done := s.label("done")
	TESTQ(n, n)
	JZ(LabelRef(done))
	group(0, s.firstOfGroup(n))
	Label(done)
}

// tree adds up the 16 lanes of a group, in the order of package simd, into the
// first lane of the result.
func (s *isa) tree(acc []reg.VecVirtual, op func(ops ...Op)) reg.VecVirtual {
	y, x, t := YMM(), XMM(), XMM()
	if s.wide {
		VEXTRACTF32X8(Imm(1), acc[0], y)
		op(acc[0].AsY(), y, y)
	} else {
		op(acc[0], acc[1], y)
	}
	VEXTRACTF128(Imm(1), y, x)
	op(y.AsX(), x, x)
	VMOVHLPS(x, x, t)
	op(x, t, x)
	VMOVSHDUP(x, t)
	op(x, t, x)
	return x
}
