package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Range is the values that a search samples a setting from: a list or an interval.
type Range struct {
	Key    string
	Values []string // nil for an interval
	Lo, Hi float64  // both ends included
	Log    bool     // uniform in its logarithm
	Whole  bool     // samples are whole numbers
}

// Fixed reports whether there is only one value.
func (r Range) Fixed() bool { return len(r.Values) == 1 }

// ParseRange parses a range of a search:
//
//	lr=log:1e-4..1e-1        an interval, uniform in the logarithm
//	dropout=0..0.5           an interval, uniform
//	layers=1..4              whole numbers if both ends are (but see Of)
//	batch=16,32,64           one of a list
func ParseRange(assignment string) (Range, error) {
	key, value, err := Cut(assignment)
	if err != nil {
		return Range{}, err
	}
	r := Range{Key: key}
	text, log := strings.CutPrefix(value, logPrefix)
	from, to, interval := strings.Cut(text, "..")
	lo, errLo := strconv.ParseFloat(from, 64)
	hi, errHi := strconv.ParseFloat(to, 64)
	if !log && (!interval || errLo != nil || errHi != nil) {
		all, err := expand(key, value)
		r.Values = all
		return r, err
	}
	r.Lo, r.Hi, r.Log, r.Whole = lo, hi, log, isWhole(from) && isWhole(to)
	switch {
	case errLo != nil || errHi != nil || math.IsInf(hi-lo, 0) || !(lo < hi):
		return Range{}, fmt.Errorf("%s: want an interval LOW..HIGH of two numbers, the first one smaller", assignment)
	case log && lo <= 0:
		return Range{}, fmt.Errorf("%s: want numbers above 0", assignment)
	}
	return r, nil
}

// Of returns the range for a setting: of whole numbers if the setting is a whole number.
func (r Range) Of(s Setting) (Range, error) {
	if r.Values != nil {
		return r, nil
	}
	r.Whole = s.Whole
	if r.Whole && (r.Lo != math.Trunc(r.Lo) || r.Hi != math.Trunc(r.Hi)) {
		return Range{}, fmt.Errorf("%s=%g..%g: the setting is a whole number, so both ends must be", r.Key, r.Lo, r.Hi)
	}
	return r, nil
}

func isWhole(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

const logPrefix = "log:"

// maxLog is the maximum number of values of a logarithmic range.
const maxLog = 1000

// logList expands log:LOW..HIGH/N into N values with a constant ratio. They are rounded to
// three digits, so that they can be typed again.
func logList(key, text string) ([]string, error) {
	bad := fmt.Errorf("%s=%s%s: want log:LOW..HIGH/N, N values from LOW to HIGH such as log:1e-4..1e-1/4; without /N it is an interval, for --search random", key, logPrefix, text)
	interval, count, counted := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	r, errRange := ParseRange(key + "=" + logPrefix + interval)
	switch {
	case errRange != nil:
		return nil, errRange
	case !counted || err != nil || n < 2 || n > maxLog:
		return nil, bad
	}
	var out []string
	for i := range n {
		share := float64(i) / float64(n-1)
		if v := r.text(r.Lo * math.Pow(r.Hi/r.Lo, share)); len(out) == 0 || out[len(out)-1] != v {
			out = append(out, v)
		}
	}
	return out, nil
}

// Text formats a number of the interval with three digits, or as a whole number. Rounding
// also makes samples equal on processors whose logarithms differ in the last place.
func (r Range) Text(x float64) string { return r.text(min(max(x, r.Lo), r.Hi)) }

func (r Range) text(x float64) string {
	if r.Whole {
		return strconv.FormatFloat(math.RoundToEven(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
