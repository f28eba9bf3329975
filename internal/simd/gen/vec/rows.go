//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows writes the kernels over the rows of a matrix.
func rows(s *isa) {
	dotRows(s)
	columnSums(s)
	segmentSums(s)
}

// dotRows computes 8 rows at a time (AVX2 and NEON: 4): q is loaded once for all of
// them, and the trees of 8 rows share their instructions.
func dotRows(s *isa) {
	s.begin("dotRows", "(dst, x, q *float32, rows, ld, d int)")
	dst, x, n, ld := ptr("dst"), ptr("x"), ptr("rows"), ptr("ld")
	SHLQ(Imm(2), ld)
	// The masks of the last group, and the elements before it.
	full := ptr("d")
	rest, last := s.split(full, full)

	block := 8 / s.parts
	if s.neon {
		block = 4
	}
	many, one, done := s.label("many"), s.label("one"), s.label("done")
	Label(many)
	CMPQ(n, U32(block))
	JLT(LabelRef(one))
	acc := s.dotBlock(x, ld, full, rest, last, block)
	switch {
	case s.zmm:
		s.store8(acc, dst)
	case s.neon:
		s.store4x4(acc, dst)
	default:
		s.store4(acc, dst)
	}
	ADDQ(U32(4*block), dst)
	for range block {
		ADDQ(ld, x)
	}
	SUBQ(U32(block), n)
	JMP(LabelRef(many))

	Label(one)
	TESTQ(n, n)
	JZ(LabelRef(done))
	acc = s.dotBlock(x, ld, full, rest, last, 1)
	VMOVSS(s.tree(acc[0], VADDPS), Mem{Base: dst})
	ADDQ(Imm(4), dst)
	ADDQ(ld, x)
	DECQ(n)
	JMP(LabelRef(one))
	Label(done)
	s.end()
}

// dotBlock returns the lanes of the products of some rows with q.
func (s *isa) dotBlock(x, ld, full, rest reg.GPVirtual, last []mask, rows int) [][]reg.VecVirtual {
	acc := make([][]reg.VecVirtual, rows)
	for i := range acc {
		acc[i] = s.group()
	}
	q, p, left := ptr("q"), GP64(), GP64()
	MOVQ(x, p)
	MOVQ(full, left)
	bases := []reg.GPVirtual{p}
	ld3 := GP64()
	if s.neon { // an index would take an instruction for each load
		for i := range rows - 1 {
			b := GP64()
			LEAQ(Mem{Base: bases[i], Index: ld, Scale: 1}, b)
			bases = append(bases, b)
		}
	} else if rows > 1 {
		LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	}
	if rows > 4 {
		p4 := GP64()
		LEAQ(Mem{Base: p, Index: ld, Scale: 4}, p4)
		bases = append(bases, p4)
	}
	step := func(part int, k mask) {
		d := 4 * s.lanes * part
		v := s.load(Mem{Base: q, Disp: d}, k)
		for i := range acc {
			var m Mem
			if s.neon {
				m = Mem{Base: bases[i], Disp: d}
			} else {
				m = Mem{Base: bases[i/4], Disp: d}
				switch i % 4 {
				case 1:
					m.Index, m.Scale = ld, 1
				case 2:
					m.Index, m.Scale = ld, 2
				case 3:
					m.Index, m.Scale = ld3, 1
				}
			}
			VFMADD231PS(s.operand(m, k), v, acc[i][part])
		}
	}
	loop, tail, out := s.label("group"), s.label("rest"), s.label("out")
	r := row{left, rest, last, append([]reg.GPVirtual{q}, bases...)}
	s.overRow(r, loop, tail, out, func() {}, step, func(part int) {
		zero := s.zero()
		for i := range acc {
			VADDPS(zero, acc[i][part], acc[i][part])
		}
	})
	Label(out)
	return acc
}

// fold adds up two registers that hold half of the rows each, by two shuffles.
func (s *isa) fold(a, b reg.VecVirtual, lo, hi uint64, shuffle func(ops ...Op)) reg.VecVirtual {
	u, v := s.vec(), s.vec()
	shuffle(Imm(lo), b, a, u)
	shuffle(Imm(hi), b, a, v)
	VADDPS(v, u, u)
	return u
}

// store8 adds up the lanes of 8 rows at once, each step of the tree on registers
// that hold twice as many rows as before.
func (s *isa) store8(acc [][]reg.VecVirtual, dst reg.GPVirtual) {
	var r []reg.VecVirtual
	for _, a := range acc {
		r = append(r, a[0])
	}
	for i := range 4 { // lane l + lane l+8: rows 2i, 2i+1
		r[i] = s.fold(r[2*i], r[2*i+1], 0x44, 0xee, VSHUFF32X4)
	}
	for i := range 2 { // l+4: rows 4i … 4i+3, one each 128 bits
		r[i] = s.fold(r[2*i], r[2*i+1], 0x88, 0xdd, VSHUFF32X4)
	}
	w := s.lastFold(r) // l+2: rows k and k+4 in block k
	index := ZMM()
	VMOVDQU32(table("rows8", 0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0), index)
	VPERMPS(w, index, w)
	VMOVUPS(w.AsY(), Mem{Base: dst})
}

// lastFold makes the last two steps of the tree.
func (s *isa) lastFold(r []reg.VecVirtual) reg.VecVirtual {
	w, t := s.fold(r[0], r[1], 0x44, 0xee, VSHUFPS), s.vec()
	VMOVSHDUP(w, t)
	VADDPS(t, w, w)
	return w
}

// store4 is store8 for 4 rows of two registers.
func (s *isa) store4(acc [][]reg.VecVirtual, dst reg.GPVirtual) {
	var r []reg.VecVirtual
	for _, a := range acc {
		VADDPS(a[1], a[0], a[0])
		r = append(r, a[0])
	}
	halves := func(o ...Op) { VPERM2F128(o[0], o[1], o[2], o[3]) }
	for i := range 2 {
		r[i] = s.fold(r[2*i], r[2*i+1], 0x20, 0x31, halves)
	}
	w, index := s.lastFold(r), YMM()
	VMOVDQU(table("rows4", 0, 4, 2, 6, 0, 0, 0, 0), index)
	VPERMPS(w, index, w)
	VMOVUPS(w.AsX(), Mem{Base: dst})
}

// store4x4 is store8 for 4 rows of four registers.
func (s *isa) store4x4(acc [][]reg.VecVirtual, dst reg.GPVirtual) {
	for _, a := range acc {
		VADDPS(a[2], a[0], a[0])
		VADDPS(a[3], a[1], a[1])
		VADDPS(a[1], a[0], a[0])
	}
	var r [2]reg.VecVirtual // lanes 0 and 1 of rows 2i and 2i+1
	for i := range r {
		a, b := acc[2*i][0], acc[2*i+1][0]
		u, v := s.vec(), s.vec()
		VUNPCKLPD(b, a, u)
		VUNPCKHPD(b, a, v)
		r[i] = s.add(u, v)
	}
	VMOVUPS(s.fold(r[0], r[1], 0x88, 0xdd, VSHUFPS), Mem{Base: dst})
}

// vectors is how many registers of columns the sums below use at a time, all
// masked, because d is seldom a multiple of their width.
const vectors = 4

// eachColumns calls body for the next registers of columns, with their masks, until
// none of left remains; ptrs advance. NEON uses several whole registers while there
// are enough, and then one at a time.
func (s *isa) eachColumns(left reg.GPVirtual, ptrs []reg.GPVirtual, body func(ks []mask)) {
	block, done := s.label("block"), s.label("done")
	next := func(registers int) {
		for _, p := range ptrs {
			ADDQ(U32(registers*s.lanes*4), p)
		}
		SUBQ(U32(registers*s.lanes), left)
	}
	Label(block)
	if s.neon {
		narrow := s.label("narrow")
		CMPQ(left, U32(vectors*s.lanes))
		JLT(LabelRef(narrow))
		body(make([]mask, vectors))
		next(vectors)
		JMP(LabelRef(block))
		Label(narrow)
		TESTQ(left, left)
		JLE(LabelRef(done))
		k := GP64()
		MOVQ(U32(s.lanes), k)
		CMPQ(left, k)
		CMOVQLT(left, k)
		body([]mask{k})
		next(1)
		JMP(LabelRef(narrow))
		Label(done)
		return
	}
	TESTQ(left, left)
	JLE(LabelRef(done))
	ks := s.columns(left)
	body(ks[:])
	next(vectors)
	JMP(LabelRef(block))
	Label(done)
}

// columns returns the masks of the next registers; left is the number of remaining columns.
func (s *isa) columns(left reg.GPVirtual) (ks [vectors]mask) {
	limit, zero := GP64(), GP64()
	MOVQ(U32(s.lanes), limit)
	XORQ(zero, zero)
	for i := range ks {
		n := GP64() // min(max(left − i·lanes, 0), lanes)
		LEAQ(Mem{Base: left, Disp: -i * s.lanes}, n)
		CMPQ(n, zero)
		CMOVQLT(zero, n)
		CMPQ(n, limit)
		CMOVQGT(limit, n)
		ks[i] = s.first(n)
	}
	return ks
}

// at returns the offset of register i of the columns in a row.
func (s *isa) at(row reg.GPVirtual, i int) Mem { return Mem{Base: row, Disp: i * s.lanes * 4} }

func columnSums(s *isa) {
	s.begin("columnSums", "(dst, x *float32, rows, ld, d int)")
	dst, x, ld, left := ptr("dst"), ptr("x"), ptr("ld"), ptr("d")
	SHLQ(Imm(2), ld)
	s.eachColumns(left, []reg.GPVirtual{dst, x}, func(ks []mask) {
		var acc [vectors]reg.VecVirtual
		for i, k := range ks {
			acc[i] = s.load(s.at(dst, i), k)
		}
		p, n := GP64(), ptr("rows")
		MOVQ(x, p)
		loop := s.label("row")
		Label(loop)
		for i, k := range ks {
			VADDPS(s.load(s.at(p, i), k), acc[i], acc[i])
		}
		ADDQ(ld, p)
		DECQ(n)
		JNZ(LabelRef(loop))
		for i, k := range ks {
			s.store(acc[i], s.at(dst, i), k)
		}
	})
	s.end()
}

// segmentSums goes over all segments with one block of columns, so that its masks
// are made once, then with the next.
func segmentSums(s *isa) {
	s.begin("segmentSums", "(dst, x *float32, d int, index, starts *int32, segments int)")
	dst, x, left, ld := ptr("dst"), ptr("x"), ptr("d"), ptr("d")
	index := ptr("index")
	SHLQ(Imm(2), ld)
	s.eachColumns(left, []reg.GPVirtual{dst, x}, func(ks []mask) {
		out, starts, n := GP64(), ptr("starts"), ptr("segments")
		MOVQ(dst, out)

		segment, row, sum, empty, store := s.label("segment"), s.label("row"), s.label("sum"), s.label("empty"), s.label("store")
		Label(segment)
		i, end, p := GP64(), GP64(), GP64()
		next := func() {
			MOVLQSX(Mem{Base: index, Index: i, Scale: 4}, p)
			IMULQ(ld, p)
			ADDQ(x, p)
			INCQ(i)
		}
		MOVLQSX(Mem{Base: starts}, i)
		MOVLQSX(Mem{Base: starts, Disp: 4}, end)
		CMPQ(i, end)
		JGE(LabelRef(empty))
		next()
		var acc [vectors]reg.VecVirtual
		for j, k := range ks {
			acc[j] = s.load(s.at(p, j), k)
		}
		JMP(LabelRef(sum))
		Label(row)
		next()
		for j, k := range ks {
			VADDPS(s.load(s.at(p, j), k), acc[j], acc[j])
		}
		Label(sum)
		CMPQ(i, end)
		JLT(LabelRef(row))
		JMP(LabelRef(store))
		Label(empty)
		for _, a := range acc[:len(ks)] {
			VXORPS(a, a, a)
		}
		Label(store)
		for j, k := range ks {
			s.store(acc[j], s.at(out, j), k)
		}
		ADDQ(ld, out)
		ADDQ(Imm(4), starts)
		DECQ(n)
		JNZ(LabelRef(segment))
	})
	s.end()
}
