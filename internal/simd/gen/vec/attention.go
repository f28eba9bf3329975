//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attention writes the kernels on a tile of scores. They go along the rows, which
// are contiguous, and keep the values of the columns in the first-level
// cache: the elementary functions leave loads and stores idle.
func attention(s *isa) {
	s.begin("columnMax", "(m, x *float32, rows, ld, d int)")
	if s.zmm {
		s.columnMax()
	} else {
		s.eachRow([]string{"x"}, []string{"m"}, nil, func(d int, k mask, row, col []reg.GPVirtual, _ []Mem) {
			v := s.load(Mem{Base: row[0], Disp: d}, k)
			m := s.load(Mem{Base: col[0], Disp: d}, k)
			VMAXPS(m, v, v)
			s.store(v, Mem{Base: col[0], Disp: d}, k)
		})
	}

	s.paired = !s.neon
	s.begin("softmaxColumns", "(x *float32, rows, ld, d int, scale float32, m, sum, dot *float32)", weightConsts...)
	scale := s.broadcast("scale")
	s.eachRow([]string{"x"}, []string{"m", "sum", "dot"}, nil, func(d int, k mask, row, col []reg.GPVirtual, _ []Mem) {
		x := Mem{Base: row[0], Disp: d}
		t, e := s.weight(x, scale, s.operand(Mem{Base: col[0], Disp: d}, k), k)
		s.store(e, x, k)
		sum, dot := Mem{Base: col[1], Disp: d}, Mem{Base: col[2], Disp: d}
		s.store(s.add(e, s.operand(sum, k)), sum, k)
		if s.neon {
			u := s.load(dot, k)
			VFMADD231PS(e, t, u)
			s.store(u, dot, k)
			return
		}
		VFMADD213PS(s.operand(dot, k), e, t)
		s.store(t, dot, k)
	})

	const args = "(x, dy *float32, rows, ld, d int, scale float32, lse, shift *float32, negH float32)"
	s.paired = !s.neon
	s.begin("softmaxGradRows", args, weightConsts...)
	scale, negH := s.broadcast("scale"), s.broadcast("negH")
	var lse, shift reg.VecVirtual
	s.eachRow([]string{"x", "dy"}, nil, []string{"lse", "shift"}, func(d int, k mask, row, _ []reg.GPVirtual, each []Mem) {
		if each != nil {
			lse, shift = s.vec(), s.vec()
			VBROADCASTSS(each[0], lse)
			VBROADCASTSS(each[1], shift)
			return
		}
		s.softmaxGrad(Mem{Base: row[0], Disp: d}, Mem{Base: row[1], Disp: d}, scale, lse, shift, negH, k)
	})

	s.paired = !s.neon
	s.begin("softmaxGradColumns", args, weightConsts...)
	scale, negH = s.broadcast("scale"), s.broadcast("negH")
	s.eachRow([]string{"x", "dy"}, []string{"lse", "shift"}, nil, func(d int, k mask, row, col []reg.GPVirtual, _ []Mem) {
		lse := s.operand(Mem{Base: col[0], Disp: d}, k)
		shift := s.operand(Mem{Base: col[1], Disp: d}, k)
		s.softmaxGrad(Mem{Base: row[0], Disp: d}, Mem{Base: row[1], Disp: d}, scale, lse, shift, negH, k)
	})

	s.begin("dropoutGrid", "(x *float32, rows, ld, d int, rowKeys, colKeys *uint32, threshold uint32, scale float32)",
		float32frombits(0x21f0aaad), float32frombits(0xd35a2d97))
	threshold, scale := s.broadcast("threshold"), s.broadcast("scale")
	var key reg.VecVirtual
	s.eachRow([]string{"x"}, []string{"colKeys"}, []string{"rowKeys"}, func(d int, k mask, row, col []reg.GPVirtual, each []Mem) {
		if each != nil {
			key = s.vec()
			VBROADCASTSS(each[0], key)
			return
		}
		h := s.load(Mem{Base: col[0], Disp: d}, k)
		VPADDD(key, h, h)
		s.mix32(h)
		x := Mem{Base: row[0], Disp: d}
		s.store(s.keep(h, threshold, scale, x, k), x, k)
	})
}

// columnMax goes down the columns of a group, whose maxima stay in a register: along a row
// each would wait for the store of the previous row. With half the width it is no faster.
func (s *isa) columnMax() {
	m, x, rows, ld, d := ptr("m"), ptr("x"), ptr("rows"), ptr("ld"), ptr("d")
	SHLQ(Imm(2), ld)
	s.each(d, []reg.GPVirtual{m, x}, 1, func(_, disp int, k mask) {
		top, at, left := s.load(Mem{Base: m, Disp: disp}, k), GP64(), GP64()
		MOVQ(x, at)
		MOVQ(rows, left)
		down := s.label("down")
		Label(down)
		v := s.load(Mem{Base: at, Disp: disp}, k)
		VMAXPS(top, v, top)
		ADDQ(ld, at)
		DECQ(left)
		JNZ(LabelRef(down))
		s.store(top, Mem{Base: m, Disp: disp}, k)
	})
	s.end()
}

// eachRow generates a loop over the rows of a tile. The pointers in cols start again
// with every row. The pointers in each advance by
// one element a row: body is called for them first, with their
// memory, and then for every part of the row.
func (s *isa) eachRow(rows, cols, each []string, body func(disp int, k mask, row, col []reg.GPVirtual, each []Mem)) {
	starts, scalars := pointers(rows), pointers(each)
	n, ld := ptr("rows"), ptr("ld")
	SHLQ(Imm(2), ld)
	top := s.label("row")
	Label(top)
	if len(each) > 0 {
		var m []Mem
		for _, p := range scalars {
			m = append(m, Mem{Base: p})
		}
		body(0, nil, nil, nil, m)
		for _, p := range scalars {
			ADDQ(Imm(4), p)
		}
	}
	at, columns, left := []reg.GPVirtual{}, pointers(cols), ptr("d")
	for _, p := range starts {
		r := GP64()
		MOVQ(p, r)
		at = append(at, r)
		ADDQ(ld, p)
	}
	s.each(left, append(append([]reg.GPVirtual{}, at...), columns...), s.chains(), func(_, d int, k mask) {
		body(d, k, at, columns, nil)
	})
	DECQ(n)
	JNZ(LabelRef(top))
	s.end()
}

func pointers(names []string) (out []reg.GPVirtual) {
	for _, n := range names {
		out = append(out, ptr(n))
	}
	return out
}

// softmaxMin is simd.SoftmaxMin.
const softmaxMin = -40

var weightConsts = append([]float32{softmaxMin}, expConsts...)

// weight returns t = scale·x − by within limits, and exp(t), or 0 at the lower one.
func (s *isa) weight(x Mem, scale reg.VecVirtual, by Op, k mask) (t, e reg.VecVirtual) {
	t = s.mul(scale, s.operand(x, k))
	VSUBPS(by, t, t)
	t = s.max(s.r(softmaxMin), s.min(s.r(expMax), t))
	const notAtMost = 6
	if s.zmm {
		above := K()
		VCMPPS(Imm(notAtMost), s.c(softmaxMin), t, above)
		p, f, _ := s.reduced(s.copy(t))
		VSCALEFPS_Z(f, p, above, p)
		return t, p
	}
	e = s.expAbove(s.copy(t))
	if s.neon {
		s.clear("FCMGE", s.r(softmaxMin), t, e)
		return t, e
	}
	above := s.vec()
	VCMPPS(Imm(notAtMost), s.c(softmaxMin), t, above)
	VANDPS(above, e, e)
	return t, e
}

// softmaxGrad sets x to the attention and dy to the gradient of the scores.
func (s *isa) softmaxGrad(x, dy Mem, scale reg.VecVirtual, lse, shift Op, negH reg.VecVirtual, k mask) {
	t, e := s.weight(x, scale, lse, k)
	s.store(e, x, k)
	g := s.load(dy, k)
	VSUBPS(shift, g, g)
	VFMADD231PS(negH, t, g)
	VMULPS(e, g, g)
	VMULPS(scale, g, g)
	s.store(g, dy, k)
}
