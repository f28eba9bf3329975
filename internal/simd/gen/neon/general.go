//go:build generate

package neon

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

// conditions are the jumps and conditional moves of amd64 by the conditions of arm64
// that hold after the same comparison of signed numbers.
var conditions = map[string]string{
	"EQ": "EQ", "Z": "EQ", "NE": "NE", "NZ": "NE", "LT": "LT", "LE": "LE", "GT": "GT", "GE": "GE",
}

// immediate returns the value of a constant operand.
func immediate(o operand.Op) (int64, bool) {
	c, ok := o.(operand.Constant)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(strings.TrimPrefix(c.Asm(), "$"), 0, 64)
	if err != nil {
		panic(err)
	}
	return v, true
}

// source returns an integer operand as a register or an immediate.
func (l *lowering) source(o operand.Op, t string) string {
	if v, ok := immediate(o); ok {
		return fmt.Sprintf("$%d", v)
	}
	if m, ok := o.(operand.Mem); ok {
		l.asm("MOVD %s, %s", l.address(m, t), t)
		return t
	}
	return gp(o)
}

// general lowers the integer instructions. next reports whether the flags of an
// addition are used, which are set by other instructions here.
func (l *lowering) general(i, next *ir.Instruction) bool {
	flags := ""
	if next != nil && next.IsConditional {
		flags = "S"
	}
	o := i.Operands
	op := i.Opcode
	if c, ok := conditions[strings.TrimPrefix(op, "J")]; ok && i.IsBranch {
		l.asm("B%s %s", c, o[0].Asm())
		return true
	}
	if c, ok := conditions[strings.TrimPrefix(op, "CMOVQ")]; ok {
		l.asm("CSEL %s, %s, %s, %s", c, l.source(o[0], temp), gp(o[1]), gp(o[1]))
		return true
	}
	switch op {
	case "JMP":
		l.asm("B %s", o[0].Asm())
	case "RET":
		l.asm("RET")
	case "VZEROUPPER":
	case "MOVQ":
		if m, ok := o[1].(operand.Mem); ok {
			l.asm("MOVD %s, %s", gp(o[0]), l.address(m, temp))
		} else if m, ok := o[0].(operand.Mem); ok {
			l.asm("MOVD %s, %s", l.address(m, temp), gp(o[1]))
		} else {
			l.asm("MOVD %s, %s", l.source(o[0], temp), gp(o[1]))
		}
	case "MOVB":
		l.asm("MOVB %s, %s", gp(o[0]), l.address(o[1].(operand.Mem), temp))
	case "MOVLQSX":
		l.asm("MOVW %s, %s", l.address(o[0].(operand.Mem), temp), gp(o[1]))
	case "LEAQ":
		m := o[0].(operand.Mem)
		switch {
		case m.Base.ID().IsPhysical() && m.Symbol.Name != "":
			l.used[m.Symbol.Name] = true
			l.asm("MOVD $%s+%d(SB), %s", m.Symbol, m.Disp, gp(o[1]))
		case m.Index != nil && m.Disp == 0:
			l.asm("ADD %s, %s, %s", shifted(m), gp(m.Base), gp(o[1]))
		case m.Index == nil:
			l.asm("ADD $%d, %s, %s", m.Disp, gp(m.Base), gp(o[1]))
		default:
			panic("LEAQ with index and displacement")
		}
	case "ADDQ", "SUBQ", "ANDQ":
		l.asm("%s%s %s, %s, %s", strings.TrimSuffix(op, "Q"), flags, l.source(o[0], temp), gp(o[1]), gp(o[1]))
	case "INCQ":
		l.asm("ADD%s $1, %s, %s", flags, gp(o[0]), gp(o[0]))
	case "DECQ":
		if m, ok := o[0].(operand.Mem); ok {
			at := l.address(m, temp)
			l.asm("MOVD %s, %s", at, temp2)
			l.asm("SUB%s $1, %s, %s", flags, temp2, temp2)
			l.asm("MOVD %s, %s", temp2, at)
		} else {
			l.asm("SUB%s $1, %s, %s", flags, gp(o[0]), gp(o[0]))
		}
	case "NEGQ":
		l.asm("NEG %s, %s", gp(o[0]), gp(o[0]))
	case "XORQ":
		if gp(o[0]) != gp(o[1]) {
			panic("XORQ of two registers")
		}
		l.asm("MOVD ZR, %s", gp(o[1]))
	case "SHLQ":
		l.asm("LSL %s, %s, %s", l.source(o[0], temp), gp(o[1]), gp(o[1]))
	case "IMULQ":
		l.asm("MUL %s, %s, %s", l.source(o[0], temp), gp(o[1]), gp(o[1]))
	case "CMPQ":
		// The other way round: arm64's CMP subtracts the first operand.
		a := l.source(o[0], temp)
		l.asm("CMP %s, %s", l.source(o[1], temp2), a)
	case "TESTQ":
		l.asm("CMP $0, %s", gp(o[0]))
	case "TESTL":
		l.asm("CMPW $0, %s", gp(o[0]))
	case "SETEQ":
		l.asm("CSET EQ, %s", gp(o[0]))
	case "PREFETCHT0":
		m := o[0].(operand.Mem)
		l.asm("PRFM %s, PLDL1KEEP", l.address(m, temp))
	default:
		return false
	}
	return true
}
