//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// cell loops over the rows·h units of an LSTM step as over one vector, so
// h = 50 leaves no lanes idle at the end of each row. The states [rows, h] are
// contiguous. In the gates [rows, 4h] the units of the next row are 3h further,
// so a register that crosses into it is loaded and stored in two masked
// pieces. With h below the number of lanes a register takes one row.
type cell struct {
	s      *isa
	gates  []reg.GPVirtual // pointers to [rows, 4h]
	states []reg.GPVirtual // pointers to [rows, h]
	h, h12 reg.GPVirtual   // 4h and 12h bytes
	k0     mask            // the units of this register
	k1, k2 mask            // the units of this row and of the next
	saved  [3]Mem          // the masks with AVX2, which lacks the registers
}

// at returns the memory of a gate, from a pointer to the row's first.
func (c *cell) at(row reg.GPVirtual, gate int) Mem {
	m := Mem{Base: row}
	switch gate {
	case 1:
		m.Index, m.Scale = c.h, 1
	case 2:
		m.Index, m.Scale = c.h, 2
	case 3:
		m.Index, m.Scale = c.h12, 1
	}
	return m
}

// next returns a pointer to the same units a row further.
func (c *cell) next(row reg.GPVirtual) reg.GPVirtual {
	p := GP64()
	LEAQ(Mem{Base: row, Index: c.h12, Scale: 1}, p)
	return p
}

// walk generates the loop. load and store are generated twice: for a whole register
// with units of one row, and for a crossing or partial one.
func (c *cell) walk(load func(whole bool), compute func(), store func(whole bool)) {
	s := c.s
	if !s.zmm && !s.neon {
		locals := AllocLocal(96)
		c.saved = [3]Mem{locals, locals.Offset(32), locals.Offset(64)}
	}
	// Registers are scarce: h stays in memory.
	h := param("h")
	n, j := ptr("n"), GP64()
	XORQ(j, j)
	c.h, c.h12 = ptr("h"), GP64()
	SHLQ(Imm(2), c.h)
	LEAQ(Mem{Base: c.h, Index: c.h, Scale: 2}, c.h12)

	top, crossing, calc := s.label("top"), s.label("crossing"), s.label("compute")
	split, next, done := s.label("split"), s.label("next"), s.label("done")
	Label(top)
	TESTQ(n, n)
	JZ(LabelRef(done))
	count, here := GP64(), GP64() // units of this register: min(lanes, h, n); of this row
	if s.neon {                   // no register crosses: two pieces cost more than a short one
		MOVQ(h, here)
		SUBQ(j, here)
		MOVQ(U32(s.lanes), count)
		CMPQ(here, count)
		CMOVQGT(count, here)
		count = here
	} else {
		MOVQ(U32(s.lanes), count)
		CMPQ(count, h)
		CMOVQGT(h, count)
		CMPQ(count, n)
		CMOVQGT(n, count)
		MOVQ(h, here)
		SUBQ(j, here)
		CMPQ(here, count)
		CMOVQGT(count, here)
	}
	CMPQ(here, U32(s.lanes))
	JNE(LabelRef(crossing))
	load(true)
	JMP(LabelRef(calc))
	Label(crossing)
	c.setMasks(count, here)
	load(false)
	Label(calc)
	compute()
	CMPQ(here, U32(s.lanes))
	JNE(LabelRef(split))
	store(true)
	JMP(LabelRef(next))
	Label(split)
	c.restoreMasks()
	store(false)

	Label(next)
	SUBQ(count, n)
	ADDQ(count, j)
	SHLQ(Imm(2), count)
	for _, p := range append(c.gates, c.states...) {
		ADDQ(count, p)
	}
	CMPQ(j, h)
	JLT(LabelRef(top))
	SUBQ(h, j)
	for _, p := range c.gates {
		ADDQ(c.h12, p)
	}
	JMP(LabelRef(top))
	Label(done)
}

// setMasks sets the masks of a partial or crossing register. With AVX2 they are
// kept on the stack.
func (c *cell) setMasks(count, here reg.GPVirtual) {
	c.k0, c.k1 = c.s.first(count), c.s.first(here)
	if c.s.neon {
		return
	}
	if c.s.zmm {
		k2 := K()
		KANDNW(c.k0, c.k1, k2) // k0 and not k1
		c.k2 = k2
		return
	}
	k2 := YMM()
	VANDNPS(c.k0, c.k1, k2)
	c.k2 = k2
	for i, k := range []mask{c.k0, c.k1, c.k2} {
		VMOVUPS(k, c.saved[i])
	}
}

// restoreMasks reads the masks back for the stores.
func (c *cell) restoreMasks() {
	if !c.s.zmm && !c.s.neon {
		c.k0, c.k1, c.k2 = c.s.copy(c.saved[0]), c.s.copy(c.saved[1]), c.s.copy(c.saved[2])
	}
}

// loadGates loads all four gates.
func (c *cell) loadGates(row reg.GPVirtual, whole bool, v []reg.VecVirtual) {
	if whole || c.s.neon {
		for g, d := range v {
			c.s.loadInto(c.at(row, g), partly(whole, c.k1), d)
		}
		return
	}
	next := c.next(row)
	for g, d := range v {
		if c.s.zmm {
			VMOVUPS_Z(c.at(row, g), c.k1, d)
			VMOVUPS(c.at(next, g), c.k2, d)
			continue
		}
		t := YMM()
		VMASKMOVPS(c.at(row, g), c.k1, d)
		VMASKMOVPS(c.at(next, g), c.k2, t)
		VORPS(t, d, d)
	}
}

func (c *cell) storeGates(v []reg.VecVirtual, row reg.GPVirtual, whole bool) {
	var next reg.GPVirtual
	if !whole && !c.s.neon {
		next = c.next(row)
	}
	for g, r := range v {
		c.s.store(r, c.at(row, g), partly(whole, c.k1))
		if !whole && !c.s.neon {
			c.s.store(r, c.at(next, g), c.k2)
		}
	}
}

// partly returns the mask of a register, nil for a whole one.
func partly(whole bool, k mask) mask {
	if whole {
		return nil
	}
	return k
}

func (c *cell) loadState(p reg.GPVirtual, whole bool, d reg.VecVirtual) {
	c.s.loadInto(Mem{Base: p}, partly(whole, c.k0), d)
}

func (c *cell) storeState(v reg.VecVirtual, p reg.GPVirtual, whole bool) {
	c.s.store(v, Mem{Base: p}, partly(whole, c.k0))
}

// cellConsts are the constants kept in registers next to the cell; the others are read
// from memory.
var cellConsts = append(append([]float32{log2e, roundInt, -ln2Hi, -ln2Lo}, expCoeffs...), tanhCoeffs...)

// ask prefetches the activations of the step that comes next in the backward pass, and the states
// before it. They lie the same number of rows earlier; the hardware only predicts forward access.
func (c *cell) ask(row, prev, back reg.GPVirtual) {
	before := GP64()
	LEAQ(Mem{Base: row, Index: back, Scale: 4}, before)
	for gate := range 4 {
		PREFETCHT0(c.at(before, gate))
	}
	PREFETCHT0(Mem{Base: prev, Index: back, Scale: 1})
}
