package figures

import (
	"fmt"
	"math"

	"imdbexp/report/canvas"
)

// scale is how the values of a panel are drawn.
type scale struct {
	least  float64 // span of the axis, at least
	top    float64 // upper bound of the values, 0 for none; the lower bound is 0
	chance float64 // what guessing gives; 0: nothing to guess
	named  string  // chance in words
}

// ends are the smallest and the largest value of a panel.
type ends struct{ low, high float64 }

func (e ends) with(o ends) ends { return ends{min(e.low, o.low), max(e.high, o.high)} }

// lossScale and accuracyScale mark what guessing among that many classes would give:
// ln C nats and 100/C percent. With fewer than two classes nothing is marked.
func lossScale(classes int) scale {
	s := scale{least: canvas.LeastLoss}
	if classes > 1 {
		s.chance, s.named = math.Log(float64(classes)), fmt.Sprintf("chance, ln %d", classes)
	}
	return s
}

func accuracyScale(classes int) scale {
	s := scale{least: canvas.LeastAccuracy, top: 100}
	if classes > 1 {
		s.chance = 100 / float64(classes)
		s.named = fmt.Sprintf("chance, %.3g %%", s.chance)
	}
	return s
}

// axis returns the ends of the axis for values between these: with chance where they
// come near it, at least as long as the least span, with a margin.
func (s scale) axis(e ends) ends {
	return s.alone(e).roomy()
}

// joint returns the ends of one axis for panels with values between these, and whether it
// serves all: a short one would be flat next to a much longer one.
func (s scale) joint(of []ends) (axis ends, serves bool) {
	least, most := math.Inf(1), 0.0
	for i, e := range of {
		own := s.alone(e)
		if least, most = min(least, own.span()), max(most, own.span()); i == 0 {
			axis = own
		}
		axis = axis.with(own)
	}
	return axis.roomy(), most <= wide*least
}

// wide is the ratio of the longest to the shortest span from which on panels have axes of their own,
// and of the largest to the smallest norm from which on its axis is logarithmic.
const wide = 20

// roomy leaves a margin at both ends.
func (e ends) roomy() ends {
	margin := max(0.04*e.span(), 1e-6)
	return ends{e.low - margin, e.high + margin}
}

func (e ends) span() float64 { return e.high - e.low }

// alone is axis of one panel, without margins.
func (s scale) alone(e ends) ends {
	if s.chance > 0 && e.low-s.least <= s.chance && s.chance <= e.high+s.least {
		e = e.with(ends{s.chance, s.chance})
	}
	grow := s.least - e.span()
	if !(grow > 0) {
		return e
	}
	down, up := grow/2, grow/2
	if s.top > 0 && e.high+up > s.top {
		up = max(0, s.top-e.high)
		down = grow - up
	}
	if e.low >= 0 && e.low < down {
		down, up = e.low, grow-e.low
	}
	return ends{e.low - down, e.high + up}
}

// line returns the mark of chance.
func (s scale) line(style canvas.Style) canvas.Level {
	return canvas.Level{Y: s.chance, Label: s.named, Line: style.Line(0.7, canvas.Faint, 1, 2), Text: style.Text(6.5, canvas.Faint)}
}
