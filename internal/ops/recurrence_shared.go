package ops

import (
	"math"
	"slices"
)

// shared describes common beginnings of the reviews of a timeline, in reading order. Copies of a
// text that each lack another word share on average half of their steps with a neighbour. A
// review has its own rows only from the step in which it differs from its neighbour; before that
// it uses the neighbour's states. A row of a step does not depend on the other rows, so the bits
// are the same.
type shared struct {
	from  []int // [B] index in the order of the review it branches from; −1: it has all its steps
	parts []int // [B] first step with its own row, rising; empty: all reviews have all rows
	rank  []int // indices before sorting by parts
	buf   []int
}

// sharable returns the inputs if the states start from zeros; with given start states, reviews
// share no steps.
func sharable(x Mat, starts []Mat) Mat {
	if len(starts) > 0 {
		return Mat{}
	}
	return x
}

// share finds the common beginnings of the reviews of a group. All must have the same length:
// then rows are only added and none ends early. A pass that keeps values for gradients does not
// share.
func (k *recurrence) share(l *timeline, x Mat) {
	s := &l.shared
	s.parts = s.parts[:0]
	n, steps := len(l.order), l.steps()
	if k.g.training || n < 2 || l.alive(steps-1) != n {
		return
	}
	first := grown(s.rank, 2*n) // where each branches from the one before; then their indices
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
	for r := range n { // ancestors come first
		at := place[r]
		s.parts[at], s.from[at] = first[r], -1
		if first[r] == 0 {
			continue
		}
		// If the review before has no row yet in that step, take the one it branches from.
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

// sameBits reports whether two rows have the same bits: 0 and −0 could give different results.
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

// fork starts the reviews whose first own row is in step t. It copies the states now
// (and the other rows in now, each [alive, h]) of the review they branch from, and its
// states so far.
func (k *recurrence) fork(l *timeline, t int, states Mat, now ...[]float32) {
	if len(l.parts) == 0 || t == 0 {
		return
	}
	h := states.Cols
	for r := l.alive(t - 1); r < l.alive(t); r++ {
		from := l.from[r]
		for _, rows := range now {
			if len(rows) > 0 {
				copy(rows[r*h:][:h], rows[from*h:][:h])
			}
		}
		to, of := k.row(l.order[r], 0), k.row(l.order[from], 0)
		if k.reverse { // the steps so far are the last rows
			to, of = to-t+1, of-t+1
		}
		copy(states.Data[to*h:][:t*h], states.Data[of*h:][:t*h])
	}
}
