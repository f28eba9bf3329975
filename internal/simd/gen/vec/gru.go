//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

func gru(s *isa) {
	gruForward(s)
	gruBackward(s)
}

// gruForward writes the step over rows [n, r, u, a] of gates.
func gruForward(s *isa) {
	s.begin("gruForward", "(z, hPrev, hOut *float32, n, h int)", cellConsts...)
	z, prev, out := ptr("z"), ptr("hPrev"), ptr("hOut")
	w := &cell{s: s, gates: []reg.GPVirtual{z}, states: []reg.GPVirtual{prev, out}}
	v := s.vecs(4)
	state := s.vec()
	w.walk(func(whole bool) {
		w.loadGates(z, whole, v)
		w.loadState(prev, whole, state)
	}, func() {
		v[1] = s.sigmoid(v[1])
		v[0] = s.tanh(s.add(v[0], s.mul(v[1], v[3])))
		v[2] = s.sigmoid(v[2])
		VSUBPS(v[0], state, state)
		VMULPS(v[2], state, state)
		VADDPS(v[0], state, state)
	}, func(whole bool) {
		w.storeGates(v[:3], z, whole)
		w.storeState(state, out, whole)
	})
	s.end()
}

// gruBackward writes the gradient of a step.
func gruBackward(s *isa) {
	s.begin("gruBackward", "(z, hPrev, dh, dz *float32, n, h int)", 1, 0x1p-100)
	z, prev, dhp, dz := ptr("z"), ptr("hPrev"), ptr("dh"), ptr("dz")
	w := &cell{s: s, gates: []reg.GPVirtual{z, dz}, states: []reg.GPVirtual{prev, dhp}}
	v, d := s.vecs(4), s.vecs(4)
	dh, old := s.vec(), s.vec()
	back := stepBack()
	w.walk(func(whole bool) {
		w.loadGates(z, whole, v)
		w.loadState(prev, whole, old)
		w.loadState(dhp, whole, dh)
		w.ask(z, prev, back)
	}, func() {
		n, r, u, a := v[0], v[1], v[2], v[3]
		less := func(y reg.VecVirtual) reg.VecVirtual { return s.sub(s.r(1), y) } // 1 − y
		VSUBPS(n, old, old)
		VMULPS(n, n, n)
		d[0] = s.mul(s.mul(dh, less(u)), less(n))
		d[3] = s.mul(d[0], r)
		d[1] = s.mul(s.mul(d[0], a), s.mul(r, less(r)))
		d[2] = s.mul(s.mul(dh, old), s.mul(u, less(u)))
		dh = s.mul(dh, u)
		for _, x := range append(d, dh) {
			s.flush(x)
		}
	}, func(whole bool) {
		w.storeGates(d, dz, whole)
		w.storeState(dh, dhp, whole)
	})
	s.end()
}
