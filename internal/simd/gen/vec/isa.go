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

// split subtracts from full, which holds d, the elements after the whole groups of d elements. It
// returns their number and masks.
func (s *isa) split(d, full reg.GPVirtual) (rest reg.GPVirtual, last []mask) {
	rest = GP64()
	MOVQ(d, rest)
	ANDQ(Imm(15), rest)
	SUBQ(rest, full)
	return rest, s.firstOfGroup(rest)
}

// row is what overRow goes along: the number of elements in whole groups, which it counts down, the
// rest and its masks, and the pointers that advance.
type row struct {
	left, rest reg.GPVirtual
	last       []mask
	ptrs       []reg.GPVirtual
}

// overRow writes a loop over the whole groups of a row, and then its rest, with these labels of the
// loop, the rest and what follows. before is called before the parts of a group.
func (s *isa) overRow(r row, group, rest, next string, before func(), part func(p int, k mask), pad func(p int)) {
	TESTQ(r.left, r.left)
	JZ(LabelRef(rest))
	Label(group)
	before()
	for p := range s.parts {
		part(p, nil)
	}
	for _, p := range r.ptrs {
		ADDQ(Imm(64), p)
	}
	SUBQ(Imm(16), r.left)
	JNZ(LabelRef(group))
	Label(rest)
	TESTQ(r.rest, r.rest)
	JZ(LabelRef(next))
	before()
	s.tail(r.rest, r.last, part, pad)
}

// tail calls body for the parts of a group with n remaining lanes, 0 < n < 16. On
// NEON it skips the parts without lanes, or calls pad for them.
func (s *isa) tail(n reg.GPVirtual, ks []mask, body func(part int, k mask), pad func(part int)) {
	if !s.neon {
		for p, k := range ks {
			body(p, k)
		}
		return
	}
	out := s.label("out")
	var pads []string
	for p := range s.parts {
		if p > 0 {
			l := out
			if pad != nil {
				l = s.label("pad")
				pads = append(pads, l)
			}
			CMPQ(n, U32(p*s.lanes))
			JLE(LabelRef(l))
		}
		k := GP64()
		most := GP64()
		LEAQ(Mem{Base: n, Disp: -p * s.lanes}, k)
		MOVQ(U32(s.lanes), most)
		CMPQ(k, most)
		CMOVQGT(most, k)
		body(p, k)
	}
	if pad != nil {
		JMP(LabelRef(out))
		for p, l := range pads {
			Label(l)
			pad(p + 1)
		}
	}
	Label(out)
}

// maskAt loads from the table of 16 ones and 16 zeros.
func (s *isa) maskAt(n reg.GPVirtual, disp int) mask {
	p, i := GP64(), GP64()
	LEAQ(maskTable(), p)
	MOVQ(n, i)
	NEGQ(i)
	k := s.vec()
	VMOVUPS(Mem{Base: p, Index: i, Scale: 4, Disp: 64 + disp}, k)
	return k
}

// each loops over n elements in groups. body handles one part of a group whose
// pointers have advanced; disp is the part's distance from them in bytes. The
// last group is masked. body must not distinguish the parts.
func (s *isa) each(n reg.GPVirtual, ptrs []reg.GPVirtual, unroll int, body func(part, disp int, k mask)) {
	if !s.neon {
		s.eachLane(n, ptrs, unroll, body, nil)
		return
	}
	s.groups(n, ptrs, 1, body)
	top, done := s.label("tail"), s.label("done")
	Label(top)
	TESTQ(n, n)
	JLE(LabelRef(done))
	k := GP64()
	MOVQ(U32(s.lanes), k)
	CMPQ(n, k)
	CMOVQLT(n, k)
	body(0, 0, k)
	for _, p := range ptrs {
		ADDQ(U32(4*s.lanes), p)
	}
	SUBQ(U32(s.lanes), n)
	JMP(LabelRef(top))
	Label(done)
}

// eachLane is each for a body that distinguishes the parts. pad, if not nil, is called for
// the parts of the last group that have no lanes.
func (s *isa) eachLane(n reg.GPVirtual, ptrs []reg.GPVirtual, unroll int, body func(part, disp int, k mask), pad func(part int)) {
	if unroll > 1 && !s.neon {
		s.groups(n, ptrs, unroll, body)
	}
	s.groups(n, ptrs, 1, body)
	done := s.label("done")
	TESTQ(n, n)
	JZ(LabelRef(done))
	s.tail(n, s.firstOfGroup(n), func(p int, k mask) { body(p, p*s.lanes*4, k) }, pad)
	Label(done)
}

// groups loops over whole groups, some of them at a time.
func (s *isa) groups(n reg.GPVirtual, ptrs []reg.GPVirtual, groups int, body func(part, disp int, k mask)) {
	top, out := s.label("loop"), s.label("after")
	CMPQ(n, U32(16*groups))
	JLT(LabelRef(out))
	Label(top)
	s.together(groups*s.parts, func(i int) { body(i%s.parts, i*s.lanes*4, nil) })
	for _, p := range ptrs {
		ADDQ(U32(64*groups), p)
	}
	SUBQ(U32(16*groups), n)
	CMPQ(n, U32(16*groups))
	JGE(LabelRef(top))
	Label(out)
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
