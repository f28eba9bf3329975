package diagram

// between is the number of columns between the parts of a fork.
const between = 2

// layout puts the parts next to each other between two horizontal lines: the upper one passes the
// input to the parts, the lower one collects their results.
func (f Fork) layout() block {
	if len(f) == 0 {
		return Stack{}.layout()
	}
	var out block
	parts, xs, tops := make([]block, len(f)), make([]int, len(f)), make([]int, len(f))
	bottom := 0
	for i, n := range f {
		p := n.layout()
		if i > 0 {
			out.width += between
		}
		if p.taps == nil { // else its line across is part of this one's
			tops[i] = 2
		}
		parts[i], xs[i] = p, out.width
		out.width += p.width
		bottom = max(bottom, tops[i]+p.height)
	}
	var outs []int
	for i, p := range parts {
		out.put(p, xs[i], tops[i])
		switch {
		case p.taps != nil:
			out.taps = append(out.taps, shifted(p.taps, xs[i])...)
		case p.open:
			in := xs[i] + p.in
			out.taps = append(out.taps, in)
			out.shapes = append(out.shapes, line(in, 0, in, tops[i], p.tip))
		}
		end := xs[i] + p.out
		outs = append(outs, end)
		out.shapes = append(out.shapes, line(end, tops[i]+p.height-1, end, bottom, false))
	}
	out.height, out.lead, out.open = bottom+1, 1, len(out.taps) > 0
	out.out = middle(outs)
	out.across(outs, bottom)
	if out.open {
		out.in = middle(out.taps)
		out.across(out.taps, 0)
	}
	if main := residual(parts); main >= 0 {
		out.in, out.out = xs[main]+parts[main].in, xs[main]+parts[main].out
	}
	return out
}

// residual returns the index of the part that the other one of two, a mere line, bypasses; -1 if
// there is no such pair. The main line then leads straight through that part.
func residual(parts []block) int {
	if len(parts) != 2 {
		return -1
	}
	for i, p := range parts {
		if p.open && !p.bare && parts[1-i].bare {
			return i
		}
	}
	return -1
}

// across adds a line in a row from the first to the last of rising columns.
func (to *block) across(columns []int, y int) {
	to.shapes = append(to.shapes, line(columns[0], y, columns[len(columns)-1], y, false))
}

func shifted(columns []int, by int) []int {
	var out []int
	for _, c := range columns {
		out = append(out, c+by)
	}
	return out
}

// middle returns the median of rising columns.
func middle(columns []int) int {
	n := len(columns)
	return (columns[(n-1)/2] + columns[n/2]) / 2
}
