package ops

import (
	"math"
	"slices"
)

// shared is how the reviews of a timeline begin alike, in the order in which they are read:
// as texts do that are all one text without one word after another, half of whose words two
// neighbours share on average, from either end. Each review has rows of its own only from
// the step on in which it parts from the one before; until then it has the states of that
// one. What a step computes of a row does not depend on the other rows, so they are the
// same bits.
type shared struct {
	from  []int // [B] place in the order of the review that it parts from; −1: it has all its steps
	parts []int // [B] step from which on it has rows of its own, rising; nil: all have all
	rank  []int // places before they were put in the order of parts
	buf   []int
}

// alike returns the inputs of reviews that begin alike if they begin with zeros, not with
// states of their own.
func alike(x Mat, starts []Mat) Mat {
	if len(starts) > 0 {
		return Mat{}
	}
	return x
}

// share finds what the reviews of a group have in common, if all have the same length: then
// rows come and none goes before the end. A pass that keeps what gradients need does not
// share.
func (k *recurrence) share(l *timeline, x Mat) {
	s := &l.shared
	s.parts = s.parts[:0]
	n, steps := len(l.order), l.steps()
	if k.g.training || n < 2 || l.alive(steps-1) != n {
		return
	}
	first := grown(s.rank, 2*n) // where each parts from the one before; then their places
	s.rank = first
	first, rank := first[:n], first[n:]
	saved := 0
	for r := 1; r < n; r++ {
		t := 0
		for t < steps-1 && x.sameBits(k.row(l.order[r], t), k.row(l.order[r-1], t)) {
			t++
		}
		first[r] = t
		saved += t
	}
	first[0] = 0
	if saved == 0 {
		return
	}
	for r := range rank {
		rank[r] = r
	}
	slices.SortStableFunc(rank, func(a, b int) int { return first[a] - first[b] })
	s.buf = grown(s.buf, 2*n)
	place, order := s.buf[:n], s.buf[n:]
	for at, r := range rank {
		place[r], order[at] = at, l.order[r]
	}
	s.from, s.parts = grown(s.from, n), grown(s.parts, n)
	for r := range n { // ancestors stand before
		at := place[r]
		s.parts[at], s.from[at] = first[r], -1
		if first[r] == 0 {
			continue
		}
		// The one before may have no row of its own yet, either: then it has those of its own.
		from := place[r-1]
		for s.parts[from] >= first[r] {
			from = s.from[from]
		}
		s.from[at] = from
	}
	copy(l.order, order)
	l.base = append(l.base[:0], 0)
	for t, alive := 0, 0; t < steps; t++ {
		for alive < n && s.parts[alive] <= t {
			alive++
		}
		l.base = append(l.base, l.base[t]+alive)
	}
}

// sameBits compares two rows: 0 and −0 may lead to other bits.
func (m Mat) sameBits(i, j int) bool {
	if m.IDs != nil && m.IDs[i] == m.IDs[j] {
		return true
	}
	b := m.Row(j)
	for c, v := range m.Row(i) {
		if math.Float32bits(v) != math.Float32bits(b[c]) {
			return false
		}
	}
	return true
}

// parting lets the reviews go on alone that have their first row in step t: from the states
// now, and what else a step goes on from, each [alive, h], of the one that they part from,
// whose states before are theirs, too.
func (k *recurrence) parting(l *timeline, t int, states Mat, now ...[]float32) {
	if len(l.parts) == 0 || t == 0 {
		return
	}
	h := states.Cols
	for r := l.alive(t - 1); r < l.alive(t); r++ {
		from := l.from[r]
		for _, rows := range now {
			copy(rows[r*h:][:h], rows[from*h:][:h])
		}
		to, of := k.row(l.order[r], 0), k.row(l.order[from], 0)
		if k.reverse { // the steps so far are the last rows
			to, of = to-t+1, of-t+1
		}
		copy(states.Data[to*h:][:t*h], states.Data[of*h:][:t*h])
	}
}
