//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
		lanes := GP64()
		LEAQ(Mem{Base: n, Disp: -p * s.lanes}, k)
		MOVQ(U32(s.lanes), lanes)
		CMPQ(k, lanes)
		CMOVQGT(lanes, k)
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
