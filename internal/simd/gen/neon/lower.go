//go:build generate

package neon

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lowering writes one function.
type lowering struct {
	b      strings.Builder
	known  map[*ir.Instruction]facts
	used   map[string]bool // symbols of data
	labels int
}

// lower returns a function's assembly. It panics at an unknown instruction, because only
// the author of a kernel calls it.
func lower(fn *ir.Function, known map[*ir.Instruction]facts, used map[string]bool) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	l := &lowering{known: known, used: used}
	fmt.Fprintf(&l.b, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", fn.Stub(), fn.Name, fn.FrameBytes(), fn.ArgumentBytes())
	for n, node := range fn.Nodes {
		switch x := node.(type) {
		case ir.Label:
			fmt.Fprintf(&l.b, "\n%s:\n", x)
		case *ir.Instruction:
			var next *ir.Instruction
			if n+1 < len(fn.Nodes) {
				next, _ = fn.Nodes[n+1].(*ir.Instruction)
			}
			if !l.general(x, next) && !l.vector(x) {
				panic(fmt.Sprintf("no counterpart of %s with %d operands", x.Opcode, len(x.Operands)))
			}
		}
	}
	return l.b.String(), nil
}

func (l *lowering) asm(format string, args ...any) { fmt.Fprintf(&l.b, "\t"+format+"\n", args...) }

func (l *lowering) word(w uint32, format string, args ...any) {
	fmt.Fprintf(&l.b, "\tWORD $%#08x // %s\n", w, fmt.Sprintf(format, args...))
}

func (l *lowering) three(op string, d, n, m int) {
	name, arrangement, ok := strings.Cut(op, ".")
	if !ok {
		arrangement = "4S"
	}
	l.word(encode3(op, d, n, m), "%s V%d.%s, V%d.%s, V%d.%s", name, d, arrangement, n, arrangement, m, arrangement)
}

func (l *lowering) two(op string, d, n int) {
	to, from := "4S", "4S"
	switch op {
	case "FCVTL":
		to, from = "2D", "2S"
	case "FCVTL2":
		to = "2D"
	case "NOT.16B":
		to, from = "16B", "16B"
	}
	name, _, _ := strings.Cut(op, ".")
	l.word(encode2(op, d, n), "%s V%d.%s, V%d.%s", name, d, to, n, from)
}

func (l *lowering) label() string {
	l.labels++
	return fmt.Sprintf("part%d", l.labels)
}

// gp returns the name of a general register. Sizes do not matter: writing
// 32 bits clears the upper half on both platforms.
func gp(o operand.Op) string {
	r := reg.ToPhysical(o.(reg.Register))
	if r.Kind() != reg.KindGP || r.PhysicalIndex() >= generalCount {
		panic(fmt.Sprintf("%s is not a general register", r.Asm()))
	}
	return fmt.Sprintf("R%d", r.PhysicalIndex())
}

// address returns memory as an operand, in as many instructions as it takes.
func (l *lowering) address(m operand.Mem, t string) string {
	switch m.Base {
	case reg.FramePointer:
		return m.Asm()
	case reg.StaticBase:
		l.used[m.Symbol.Name] = true
		l.asm("MOVD $%s+%d(SB), %s", m.Symbol, m.Disp, t)
		return fmt.Sprintf("(%s)", t)
	case reg.StackPointer:
		panic("no locals")
	}
	base := gp(m.Base)
	if m.Index != nil {
		l.asm("ADD %s, %s, %s", shifted(m), base, t)
		base = t
	}
	return fmt.Sprintf("%d(%s)", m.Disp, base)
}

// shifted returns an index times its scale.
func shifted(m operand.Mem) string {
	for shift := range 4 {
		if m.Scale == 1<<shift {
			if shift == 0 {
				return gp(m.Index)
			}
			return fmt.Sprintf("%s<<%d", gp(m.Index), shift)
		}
	}
	panic(fmt.Sprintf("scale %d", m.Scale))
}
