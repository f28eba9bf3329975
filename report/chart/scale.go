package chart

import (
	"fmt"
	"math"
	"slices"
)

// Scale says how the values of a panel are drawn.
type Scale struct {
	Least  float64 // span of the axis, at least: a run at chance moves by thousandths, which would look like learning on a shorter one
	Top    float64 // upper bound of the values, 0 for none; the lower bound is 0
	Chance float64 // what guessing gives; 0: nothing to guess
	Named  string  // chance in words
}

// LossScale and AccuracyScale mark what guessing among classes with these shares would give: of C equal ones
// ln C nats and 100/C percent. With fewer than two classes nothing is marked.
func LossScale(shares []float64) Scale {
	s := Scale{Least: 0.1}
	for _, p := range shares {
		if p > 0 && len(shares) > 1 {
			s.Chance -= p * math.Log(p)
		}
	}
	if s.Named = fmt.Sprintf("chance, ln %d", len(shares)); Unequal(shares) {
		s.Named = fmt.Sprintf("guessing by the shares of test, %.3g", s.Chance)
	}
	return s
}

// AccuracyScale is described with LossScale.
func AccuracyScale(shares []float64) Scale {
	s := Scale{Least: 10, Top: 100}
	if len(shares) > 1 {
		s.Chance = 100 * slices.Max(shares)
		s.Named = fmt.Sprintf("chance, %.3g %%", s.Chance)
	}
	if Unequal(shares) {
		s.Named = fmt.Sprintf("largest class of test, %.2f %%", s.Chance)
	}
	return s
}

// Unequal reports whether classes have different shares.
func Unequal(shares []float64) bool {
	return len(shares) > 1 && slices.Max(shares)-slices.Min(shares) > 1e-9
}

// Axis returns the ends of the axis for values between these: with chance where they
// come near it, at least as long as the least span, with a margin.
func (s Scale) Axis(e Ends) Ends { return s.Alone(e).roomy() }

// Joint returns the ends of one axis for panels with values between these, and whether it
// serves all: a short one would be flat next to a much longer one.
func (s Scale) Joint(of []Ends) (axis Ends, serves bool) {
	least, most := math.Inf(1), 0.0
	axis = None
	for _, e := range of {
		own := s.Alone(e)
		least, most = min(least, own.Span()), max(most, own.Span())
		axis = axis.With(own.Low, own.High)
	}
	return axis.roomy(), most <= Wide*least
}

// Wide is the ratio of the longest to the shortest span from which on panels have axes of their own,
// and of the largest to the smallest norm from which on its axis is logarithmic.
const Wide = 20

// Alone is Axis of one panel, without margins.
func (s Scale) Alone(e Ends) Ends {
	if s.Chance > 0 && e.Low-s.Least <= s.Chance && s.Chance <= e.High+s.Least {
		e = e.With(s.Chance)
	}
	grow := s.Least - e.Span()
	if !(grow > 0) {
		return e
	}
	down, up := grow/2, grow/2
	if s.Top > 0 && e.High+up > s.Top {
		up = max(0, s.Top-e.High)
		down = grow - up
	}
	if e.Low >= 0 && e.Low < down {
		down, up = e.Low, grow-e.Low
	}
	return Ends{e.Low - down, e.High + up}
}

// Ends are the smallest and the largest value of an axis.
type Ends struct{ Low, High float64 }

// None are the ends of no values.
var None = Ends{math.Inf(1), math.Inf(-1)}

// With returns ends that have these values between them, too.
func (e Ends) With(values ...float64) Ends {
	for _, v := range values {
		e = Ends{min(e.Low, v), max(e.High, v)}
	}
	return e
}

// Span returns the distance of the ends.
func (e Ends) Span() float64 { return e.High - e.Low }

// roomy leaves a margin at both ends.
func (e Ends) roomy() Ends {
	margin := max(0.04*e.Span(), 1e-6)
	return Ends{e.Low - margin, e.High + margin}
}

func (e Ends) log() Ends { return Ends{math.Log10(e.Low), math.Log10(e.High)} }
