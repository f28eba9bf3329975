//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func lstm(s *isa) {
	for _, first := range []bool{false, true} {
		lstmForward(s, first)
		lstmBackward(s, first)
	}
	lstmOutput(s)
}

// lstmForward writes the step in two kernels. In a single one, the chain of two exponentials
// a unit fills the CPU's scheduler with waiting instructions: it takes 2.5 ns a unit
// (AVX-512), the two passes 2.0 ns.
func lstmForward(s *isa, first bool) {
	name, args := "lstmGates", "(z, cPrev, c *float32, n, h int)"
	if first {
		name, args = "lstmGatesFirst", "(z, c *float32, n, h int)"
	}
	s.begin(name, args, cellConsts...)
	z, cp := ptr("z"), ptr("c")
	w := &cell{s: s, gates: []reg.GPVirtual{z}, states: []reg.GPVirtual{cp}}
	var prev reg.GPVirtual
	if !first {
		prev = ptr("cPrev")
		w.states = append(w.states, prev)
	}
	v := s.vecs(4)
	c0 := s.vec()
	var c reg.VecVirtual
	w.walk(func(whole bool) {
		w.loadGates(z, whole, v)
		if first {
			VXORPS(c0, c0, c0)
		} else {
			w.loadState(prev, whole, c0)
		}
	}, func() {
		for _, g := range []int{0, 1, 3} {
			v[g] = s.sigmoid(v[g])
		}
		v[2] = s.tanh(v[2])
		c = s.mul(v[0], v[2])
		VFMADD231PS(c0, v[1], c)
	}, func(whole bool) {
		w.storeGates(v, z, whole)
		w.storeState(c, cp, whole)
	})
	s.end()
}

// lstmOutput is the second pass: o points to the first row's output gate.
func lstmOutput(s *isa) {
	s.begin("lstmOutput", "(o, c, hOut *float32, n, h int)", cellConsts...)
	o, cp, hp := ptr("o"), ptr("c"), ptr("hOut")
	w := &cell{s: s, gates: []reg.GPVirtual{o}, states: []reg.GPVirtual{cp, hp}}
	v := s.vecs(1)
	c := s.vec()
	w.walk(func(whole bool) {
		w.loadGates(o, whole, v)
		w.loadState(cp, whole, c)
	}, func() {
		v[0] = s.mul(s.tanh(c), v[0])
	}, func(whole bool) {
		w.storeState(v[0], hp, whole)
	})
	s.end()
}

func lstmBackward(s *isa, first bool) {
	name, args := "lstmBackward", "(z, cPrev, c, dh, dc, dz *float32, n, h int)"
	if first {
		name, args = "lstmBackwardFirst", "(z, c, dh, dc, dz *float32, n, h int)"
	}
	s.begin(name, args, cellConsts...)
	z, dz := ptr("z"), ptr("dz")
	cp, dhp, dcp := ptr("c"), ptr("dh"), ptr("dc")
	w := &cell{s: s, gates: []reg.GPVirtual{z, dz}, states: []reg.GPVirtual{cp, dhp, dcp}}
	var prev reg.GPVirtual
	if !first {
		prev = ptr("cPrev")
		w.states = append(w.states, prev)
	}
	v := s.vecs(4)
	r := s.vecs(4)
	c0, c, dh, dc := s.vec(), s.vec(), s.vec(), s.vec()
	var back reg.GPVirtual
	if !first {
		back = stepBack()
	}
	w.walk(func(whole bool) {
		w.loadGates(z, whole, v)
		if first {
			VXORPS(c0, c0, c0)
		} else {
			w.loadState(prev, whole, c0)
			w.ask(z, prev, back)
		}
		w.loadState(cp, whole, c)
		w.loadState(dhp, whole, dh)
		w.loadState(dcp, whole, dc)
	}, func() {
		i, f, g, o := v[0], v[1], v[2], v[3]
		t := s.tanh(c)
		d := s.mul(dh, o)
		unlike := func(y reg.VecVirtual) (u reg.VecVirtual) { // 1 − y²
			if s.neon {
				u = s.copy(s.c(1))
				VFNMADD231PS(y, y, u)
				return u
			}
			u = s.copy(y)
			VFNMADD213PS(s.c(1), y, u)
			return u
		}
		u := unlike(t)
		if s.neon {
			VFMADD231PS(u, d, dc)
			VMOVUPS(dc, d)
		} else {
			VFMADD213PS(dc, u, d)
		}
		slope := func(y reg.VecVirtual) reg.VecVirtual { // y(1−y)
			x := s.sub(s.r(1), y)
			VMULPS(y, x, x)
			return x
		}
		r[3] = s.mul(s.mul(dh, t), slope(o))
		r[0] = s.mul(s.mul(d, g), slope(i))
		VMULPS(d, i, i)
		u = unlike(g)
		r[2] = s.mul(i, u)
		r[1] = s.mul(s.mul(d, c0), slope(f))
		dc = s.mul(d, f)
		for _, x := range append(r, dc) {
			s.flush(x)
		}
	}, func(whole bool) {
		w.storeGates(r, dz, whole)
		w.storeState(dc, dcp, whole)
	})
	s.end()
}

// stepBack returns the distance in bytes from the states of a step of n units to the previous step.
func stepBack() reg.GPVirtual {
	back := ptr("n")
	NEGQ(back)
	SHLQ(Imm(2), back)
	return back
}

// flush sets the lanes below simd's tiny to zero.
func (s *isa) flush(x reg.VecVirtual) {
	if s.neon {
		s.clear("FACGT", s.r(0x1p-100), x, x)
		return
	}
	const notLess = 0x15 // or NaN
	t := s.and(x, s.bits(1<<31-1))
	if s.zmm {
		k := K()
		VCMPPS(Imm(notLess), s.c(0x1p-100), t, k)
		VMOVAPS_Z(x, k, x)
		return
	}
	VCMPPS(Imm(notLess), s.c(0x1p-100), t, t)
	VANDPS(t, x, x)
}

func (s *isa) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vec()
	}
	return v
}
