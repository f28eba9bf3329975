//go:build generate

package neon

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func isVec(o operand.Op) bool {
	r, ok := o.(reg.Register)
	return ok && r.Kind() == reg.KindVector
}

func vec(o operand.Op) int {
	r := reg.ToPhysical(o.(reg.Register))
	if r.Kind() != reg.KindVector || r.Size() != vectorBytes {
		panic(fmt.Sprintf("%s is no vector register of %d bytes", r.Asm(), vectorBytes))
	}
	return int(r.PhysicalIndex())
}

// load puts a vector from memory, or a constant, into a register.
func (l *lowering) load(m operand.Mem, d int) {
	if bits, ok := constantBits(m); ok {
		if bits == 0 {
			l.asm("VMOVI $0, V%d.B16", d)
			return
		}
		l.asm("MOVW $%#08x, %s", bits, temp)
		l.asm("VDUP %s, V%d.S4", temp, d)
		return
	}
	l.asm("FMOVQ %s, F%d", l.address(m, temp), d)
}

// in returns the register of an operand, which is the given one if it was in memory.
func (l *lowering) in(o operand.Op, to int) int {
	if isVec(o) {
		return vec(o)
	}
	l.load(o.(operand.Mem), to)
	return to
}

func (l *lowering) move(from, to int) {
	if from != to {
		l.asm("VMOV V%d.B16, V%d.B16", from, to)
	}
}

// encoded are the instructions d = a op b that Go's assembler lacks in NEON.
var encoded = map[string]string{
	"VADDPS": "FADD", "VSUBPS": "FSUB", "VMULPS": "FMUL", "VDIVPS": "FDIV", "VPMULLD": "MUL",
}

// named are the instructions that it has.
var named = map[string]string{
	"VPADDD": "VADD V%d.S4, V%d.S4, V%d.S4", "VPSUBD": "VSUB V%d.S4, V%d.S4, V%d.S4",
	"VPMAXUD": "VUMAX V%d.S4, V%d.S4, V%d.S4", "VPCMPEQD": "VCMEQ V%d.S4, V%d.S4, V%d.S4",
	"VANDPS": "VAND V%d.B16, V%d.B16, V%d.B16", "VORPS": "VORR V%d.B16, V%d.B16, V%d.B16",
	"VUNPCKLPD": "VZIP1 V%d.D2, V%d.D2, V%d.D2", "VUNPCKHPD": "VZIP2 V%d.D2, V%d.D2, V%d.D2",
	"VUNPCKLPS": "VZIP1 V%d.S4, V%d.S4, V%d.S4", "VUNPCKHPS": "VZIP2 V%d.S4, V%d.S4, V%d.S4",
}

// vector lowers the instructions on vectors.
func (l *lowering) vector(i *ir.Instruction) bool {
	o := i.Operands
	if op, ok := encoded[i.Opcode]; ok {
		l.three(op, vec(o[2]), vec(o[1]), l.in(o[0], scratch))
		return true
	}
	if format, ok := named[i.Opcode]; ok {
		l.asm(format, l.in(o[0], scratch), vec(o[1]), vec(o[2]))
		return true
	}
	if op, ok := strings.CutPrefix(i.Opcode, "THREE "); ok {
		l.three(op, vec(o[2]), vec(o[1]), vec(o[0]))
		return true
	}
	if op, ok := strings.CutPrefix(i.Opcode, "TWO "); ok {
		l.two(op, vec(o[1]), vec(o[0]))
		return true
	}
	switch i.Opcode {
	case "VMOVUPS", "VMOVAPS", "VMOVDQU":
		if m, ok := o[1].(operand.Mem); ok {
			l.asm("FMOVQ F%d, %s", vec(o[0]), l.address(m, temp))
		} else if m, ok := o[0].(operand.Mem); ok {
			l.load(m, vec(o[1]))
		} else {
			l.move(vec(o[0]), vec(o[1]))
		}
	case "MOVSS", "VMOVSS":
		l.asm("FMOVS F%d, %s", vec(o[0]), l.address(o[1].(operand.Mem), temp))
	case "MOVSD":
		l.asm("FMOVD F%d, %s", vec(o[0]), l.address(o[1].(operand.Mem), temp))
	case "VBROADCASTSS":
		l.broadcast(o[0].(operand.Mem), vec(o[1]))
	case "VXORPS":
		if isVec(o[0]) && vec(o[0]) == vec(o[1]) {
			l.asm("VMOVI $0, V%d.B16", vec(o[2]))
		} else {
			l.asm("VEOR V%d.B16, V%d.B16, V%d.B16", l.in(o[0], scratch), vec(o[1]), vec(o[2]))
		}
	case "VANDNPS": // not o[1], and o[0]
		l.three("BIC.16B", vec(o[2]), l.in(o[0], scratch), vec(o[1]))
	case "VFMADD231PS":
		l.asm("VFMLA V%d.S4, V%d.S4, V%d.S4", l.in(o[0], scratch), vec(o[1]), vec(o[2]))
	case "VFNMADD231PS":
		l.asm("VFMLS V%d.S4, V%d.S4, V%d.S4", l.in(o[0], scratch), vec(o[1]), vec(o[2]))
	case "VFMADD213PS", "VFNMADD213PS": // o[2] = ±o[1]·o[2] + o[0]
		if isVec(o[0]) {
			l.move(vec(o[0]), scratch)
		} else {
			l.load(o[0].(operand.Mem), scratch)
		}
		op := "VFMLA"
		if i.Opcode == "VFNMADD213PS" {
			op = "VFMLS"
		}
		l.asm("%s V%d.S4, V%d.S4, V%d.S4", op, vec(o[1]), vec(o[2]), scratch)
		l.move(scratch, vec(o[2]))
	case "VPSRLD":
		l.asm("VUSHR %s, V%d.S4, V%d.S4", l.source(o[0], temp), vec(o[1]), vec(o[2]))
	case "VPSLLD":
		l.asm("VSHL %s, V%d.S4, V%d.S4", l.source(o[0], temp), vec(o[1]), vec(o[2]))
	case "VPSRAD":
		n, _ := immediate(o[0])
		l.signs(vec(o[1]), vec(o[2]), int(n))
	case "VSQRTPS":
		l.two("FSQRT", vec(o[1]), l.in(o[0], scratch))
	case "VCVTDQ2PS":
		l.two("SCVTF", vec(o[1]), l.in(o[0], scratch))
	case "VMOVHLPS":
		if vec(o[0]) != vec(o[1]) {
			panic("VMOVHLPS of two registers")
		}
		l.asm("VEXT $8, V%d.B16, V%d.B16, V%d.B16", vec(o[0]), vec(o[0]), vec(o[2]))
	case "VMOVSHDUP":
		l.asm("VTRN2 V%d.S4, V%d.S4, V%d.S4", vec(o[0]), vec(o[0]), vec(o[1]))
	case "VSHUFPS":
		half := map[int64]int{0x88: 1, 0xdd: 2}
		n, _ := immediate(o[0])
		if half[n] == 0 {
			panic("VSHUFPS")
		}
		l.asm("VUZP%d V%d.S4, V%d.S4, V%d.S4", half[n], vec(o[1]), vec(o[2]), vec(o[3]))
	case "VMOVMSKPS": // zero where no lane is set
		l.asm("VADDV V%d.S4, V%d", vec(o[0]), scratch)
		l.asm("VMOV V%d.S[0], %s", scratch, gp(o[1]))
	case "VCMPPS":
		n, _ := immediate(o[0])
		l.compare(n, l.in(o[1], scratch), vec(o[2]), vec(o[3]))
	case "VBLENDVPS":
		mask := vec(o[0])
		if !l.known[i].wholeMask {
			l.signs(mask, scratch2, 31)
			mask = scratch2
		}
		l.choose(mask, l.in(o[1], scratch), vec(o[2]), vec(o[3]))
	case "VMINPS", "VMAXPS":
		second, first, d := l.in(o[0], scratch), vec(o[1]), vec(o[2])
		switch {
		case l.known[i].bound:
			l.three("F"+i.Opcode[1:4], d, first, second)
		case i.Opcode == "VMINPS":
			l.three("FCMGT", scratch2, second, first)
			l.choose(scratch2, first, second, d)
		default:
			l.three("FCMGT", scratch2, first, second)
			l.choose(scratch2, first, second, d)
		}
	default:
		return l.ownOps(i)
	}
	return true
}

func (l *lowering) signs(n, d, shift int) {
	l.word(encodeShift("SSHR", d, n, shift), "SSHR V%d.4S, V%d.4S, #%d", d, n, shift)
}

func (l *lowering) broadcast(m operand.Mem, d int) {
	if _, ok := constantBits(m); ok {
		l.load(m, d)
		return
	}
	if m.Base == reg.FramePointer || m.Disp != 0 || m.Index != nil {
		l.asm("FMOVS %s, F%d", l.address(m, temp), d)
		l.asm("VDUP V%d.S[0], V%d.S4", d, d)
		return
	}
	l.asm("VLD1R (%s), [V%d.S4]", gp(m.Base), d)
}

// compare sets the lanes of d where a compares to b by a predicate of VCMPPS.
func (l *lowering) compare(predicate int64, b, a, d int) {
	switch predicate &^ 0x10 { // the bit for quiet or signalling changes no lane
	case 0: // a = b
		l.three("FCMEQ", d, a, b)
	case 1: // a < b
		l.three("FCMGT", d, b, a)
	case 3: // unordered
		if a != b {
			panic("unordered of two registers")
		}
		l.three("FCMEQ", d, a, a)
		l.two("NOT.16B", d, d)
	case 5: // not a < b
		l.three("FCMGT", d, b, a)
		l.two("NOT.16B", d, d)
	case 6: // not a ≤ b
		l.three("FCMGE", d, b, a)
		l.two("NOT.16B", d, d)
	case 9: // not a ≥ b
		l.three("FCMGE", d, a, b)
		l.two("NOT.16B", d, d)
	default:
		panic(fmt.Sprintf("predicate %d", predicate))
	}
}

// choose sets d to x where the mask is set and to y elsewhere.
func (l *lowering) choose(mask, x, y, d int) {
	switch d {
	case mask:
		l.asm("VBSL V%d.B16, V%d.B16, V%d.B16", y, x, d)
	case x:
		l.asm("VBIF V%d.B16, V%d.B16, V%d.B16", mask, y, d)
	default:
		l.move(y, d)
		l.asm("VBIT V%d.B16, V%d.B16, V%d.B16", mask, x, d)
	}
}

// ownOps lowers the instructions of ops.go.
func (l *lowering) ownOps(i *ir.Instruction) bool {
	o := i.Operands
	switch i.Opcode {
	case "FMLALANE":
		lane, _ := immediate(o[2])
		x, y, acc := vec(o[0]), vec(o[1]), vec(o[3])
		l.word(encodeLane("FMLA.lane", acc, x, y, int(lane)), "FMLA V%d.4S, V%d.4S, V%d.S[%d]", acc, x, y, lane)
	case "CHOOSE":
		l.choose(vec(o[0]), vec(o[1]), vec(o[2]), vec(o[3]))
	case "SQUAREADD":
		l.asm("VFMLA V%d.D2, V%d.D2, V%d.D2", vec(o[0]), vec(o[0]), vec(o[1]))
	case "LOADPAIR":
		l.asm("FLDPQ %s, (F%d, F%d)", l.address(o[0].(operand.Mem), temp), vec(o[1]), vec(o[2]))
	case "STOREPAIR":
		l.asm("FSTPQ (F%d, F%d), %s", vec(o[0]), vec(o[1]), l.address(o[2].(operand.Mem), temp))
	case "LOADPART":
		n, _ := immediate(o[1])
		l.asm("%s %s, F%d", moves[n], l.address(o[0].(operand.Mem), temp), vec(o[2]))
	case "LOADNEXT":
		step, _ := immediate(o[1])
		n, _ := immediate(o[2])
		l.asm("%s.P %d(%s), F%d", moves[n], step, gp(o[0]), vec(o[3]))
	case "LOADSTEP":
		l.asm("VLD1.P (%s)(%s), [V%d.B16]", gp(o[0]), gp(o[1]), vec(o[2]))
	case "LOADFIRST":
		l.loadFirst(o[0].(operand.Mem), gp(o[1]), vec(o[2]))
	case "STOREFIRST":
		l.storeFirst(vec(o[0]), o[1].(operand.Mem), gp(o[2]))
	default:
		return false
	}
	return true
}

var moves = map[int64]string{16: "FMOVQ", 8: "FMOVD", 4: "FMOVS"}

// loadFirst loads by the bits of the number of lanes. A load of a scalar clears the
// rest of the register.
func (l *lowering) loadFirst(m operand.Mem, n string, d int) {
	all, two, one, done := l.label(), l.label(), l.label(), l.label()
	at := l.address(m, temp)
	l.asm("TBNZ $2, %s, %s", n, all)
	l.asm("TBNZ $1, %s, %s", n, two)
	l.asm("TBNZ $0, %s, %s", n, one)
	l.asm("VMOVI $0, V%d.B16", d)
	l.asm("B %s", done)
	fmt.Fprintf(&l.b, "%s:\n", all)
	l.asm("FMOVQ %s, F%d", at, d)
	l.asm("B %s", done)
	fmt.Fprintf(&l.b, "%s:\n", one)
	l.asm("FMOVS %s, F%d", at, d)
	l.asm("B %s", done)
	fmt.Fprintf(&l.b, "%s:\n", two)
	l.asm("FMOVD %s, F%d", at, d)
	l.asm("TBZ $0, %s, %s", n, done)
	l.third(m, temp)
	l.asm("VLD1 (%s), V%d.S[2]", temp, d)
	fmt.Fprintf(&l.b, "%s:\n", done)
}

// third puts the address of the third element of m into t, which may be a register of m.
func (l *lowering) third(m operand.Mem, t string) {
	base := t
	if m.Index == nil {
		base = gp(m.Base)
	}
	l.asm("ADD $%d, %s, %s", m.Disp+2*floatBytes, base, t)
}

func (l *lowering) storeFirst(v int, m operand.Mem, n string) {
	all, two, done := l.label(), l.label(), l.label()
	at := l.address(m, temp)
	l.asm("TBNZ $2, %s, %s", n, all)
	l.asm("TBNZ $1, %s, %s", n, two)
	l.asm("TBZ $0, %s, %s", n, done)
	l.asm("FMOVS F%d, %s", v, at)
	l.asm("B %s", done)
	fmt.Fprintf(&l.b, "%s:\n", all)
	l.asm("FMOVQ F%d, %s", v, at)
	l.asm("B %s", done)
	fmt.Fprintf(&l.b, "%s:\n", two)
	l.asm("FMOVD F%d, %s", v, at)
	l.asm("TBZ $0, %s, %s", n, done)
	l.third(m, temp)
	l.asm("VST1 V%d.S[2], (%s)", v, temp)
	fmt.Fprintf(&l.b, "%s:\n", done)
}
