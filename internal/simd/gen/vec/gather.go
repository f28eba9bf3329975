//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gather writes gatherRows and gatherAddRows. Rows lie anywhere in memory, not in a near
// cache, and the hardware cannot predict them. So while one is read, a later row
// is prefetched.
func gather(s *isa) {
	for _, add := range []bool{false, true} {
		name := "gatherRows"
		if add {
			name = "gatherAddRows"
		}
		s.begin(name, "(dst, x *float32, ld, d int, rows *int32, n int, later *int32, ahead int)")
		dst, x, ld, d := ptr("dst"), ptr("x"), ptr("ld"), ptr("d")
		rows, n, later, ahead := ptr("rows"), ptr("n"), ptr("later"), ptr("ahead")
		SHLQ(Imm(2), ld)
		full := GP64()
		MOVQ(d, full)
		rest, last := s.split(d, full)

		top, known, group, tail, next := s.label("row"), s.label("known"), s.label("group"), s.label("rest"), s.label("next")
		Label(top)
		from, then, to, left := GP64(), GP64(), GP64(), GP64()
		MOVLQSX(Mem{Base: rows}, from)
		IMULQ(d, from)
		LEAQ(Mem{Base: x, Index: from, Scale: 4}, from)
		MOVQ(from, then) // prefetching a row that is already there costs nothing
		TESTQ(ahead, ahead)
		JZ(LabelRef(known))
		MOVLQSX(Mem{Base: later}, then)
		IMULQ(d, then)
		LEAQ(Mem{Base: x, Index: then, Scale: 4}, then)
		ADDQ(Imm(4), later)
		DECQ(ahead)
		Label(known)
		MOVQ(dst, to)
		part := func(p int, k mask) {
			v := s.load(Mem{Base: from, Disp: p * s.lanes * 4}, k)
			if at := (Mem{Base: to, Disp: p * s.lanes * 4}); add {
				s.store(s.add(s.load(at, k), v), at, k)
			} else {
				s.store(v, at, k)
			}
		}
		MOVQ(full, left)
		ask := func() { PREFETCHT0(Mem{Base: then}) }
		s.overRow(row{left, rest, last, []reg.GPVirtual{from, then, to}}, group, tail, next, ask, part, nil)
		Label(next)
		ADDQ(ld, dst)
		ADDQ(Imm(4), rows)
		DECQ(n)
		JNZ(LabelRef(top))
		s.end()
	}
}
