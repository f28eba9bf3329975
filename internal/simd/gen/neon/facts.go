//go:build generate

package neon

import (
	"math"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// facts are properties of an instruction that its lowering uses. They follow from the
// definitions of its registers, which are lost once these share physical ones.
type facts struct {
	wholeMask bool // the mask of a blend has lanes of ones or zeros, not just signs
	bound     bool // the first operand of a minimum or maximum is a constant other than 0 and NaN
}

// constantBits returns the bits of a constant in memory, which gen/vec names
// vec_xxxxxxxx after them and repeats for a whole register.
func constantBits(o operand.Op) (uint32, bool) {
	m, ok := o.(operand.Mem)
	if !ok || m.Base != reg.StaticBase || !strings.HasPrefix(m.Symbol.Name, "vec_") || len(m.Symbol.Name) != len("vec_")+8 {
		return 0, false
	}
	b, err := strconv.ParseUint(m.Symbol.Name[len("vec_"):], 16, 32)
	return uint32(b), err == nil
}

func analyse(fn *ir.Function, known map[*ir.Instruction]facts) {
	defs := map[reg.ID][]*ir.Instruction{}
	for _, i := range fn.Instructions() {
		for _, r := range i.OutputRegisters() {
			defs[r.ID()] = append(defs[r.ID()], i)
		}
	}
	all := func(o operand.Op, is func(*ir.Instruction) bool) bool {
		r, ok := o.(reg.Register)
		if !ok || len(defs[r.ID()]) == 0 {
			return false
		}
		for _, d := range defs[r.ID()] {
			if !is(d) {
				return false
			}
		}
		return true
	}
	compares := func(i *ir.Instruction) bool { return i.Opcode == "VCMPPS" || i.Opcode == "VPCMPEQD" }
	bound := func(i *ir.Instruction) bool {
		b, ok := constantBits(i.Operands[0])
		f := math.Float32frombits(b)
		return ok && f != 0 && f == f
	}
	for _, i := range fn.Instructions() {
		switch i.Opcode {
		case "VBLENDVPS":
			known[i] = facts{wholeMask: all(i.Operands[0], compares)}
		case "VMINPS", "VMAXPS":
			known[i] = facts{bound: all(i.Operands[1], bound)}
		}
	}
}
