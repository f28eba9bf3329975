package settings

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// maxGrid is the maximum number of runs in a grid, so that seed=1..1000000000 is an error.
const maxGrid = 10000

// Grid expands lists (lr=0.1,0.01) and inclusive ranges of whole numbers (seed=1..5) into all
// combinations of single assignments. The last key varies fastest.
func Grid(assignments []string) ([][]string, error) {
	axes := make([][]string, len(assignments))
	size := 1
	for i, a := range assignments {
		key, value, err := Cut(a)
		if err != nil {
			return nil, err
		}
		if axes[i], err = expand(key, value); err != nil {
			return nil, err
		}
		if size *= len(axes[i]); size > maxGrid {
			return nil, fmt.Errorf("%s makes a grid of more than %d runs", a, maxGrid)
		}
		for k, v := range axes[i] {
			axes[i][k] = key + "=" + v
		}
	}
	grid := make([][]string, size)
	for n := range grid {
		one, rest := make([]string, len(axes)), n
		for i := len(axes) - 1; i >= 0; i-- {
			one[i] = axes[i][rest%len(axes[i])]
			rest /= len(axes[i])
		}
		grid[n] = one
	}
	return grid, nil
}

// decimalComma matches a list such as 0,01, which was meant as a decimal number.
var decimalComma = regexp.MustCompile(`(?:^|,)(0|[1-9]\d*),(0\d+)(?:,|$)`)

// List splits a list at its commas, but not at those of a run's settings, name[key=value,…].
func List(value string) (out []string) {
	for part := range strings.SplitSeq(value, ",") {
		if n := len(out) - 1; n >= 0 && strings.Count(out[n], "[") > strings.Count(out[n], "]") {
			out[n] += "," + part
			continue
		}
		out = append(out, part)
	}
	return out
}

func expand(key, value string) ([]string, error) {
	if file, _, _ := strings.Cut(value, "#"); key == "vectors" {
		if _, err := os.Stat(file); err == nil { // its name may hold a comma
			return []string{value}, nil
		}
	}
	if m := decimalComma.FindStringSubmatch(value); m != nil {
		return nil, fmt.Errorf("%s=%s is a list: write %s=%s.%s for a number, and a list without leading zeros", key, value, key, m[1], m[2])
	}
	var out []string
	for _, part := range List(value) {
		if strings.HasPrefix(part, logPrefix) {
			return nil, fmt.Errorf("%s=%s is an interval for --search random; a grid has a list, such as %s=0.1,0.01", key, part, key)
		}
		from, to, ok := strings.Cut(part, "..")
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if !ok || errA != nil || errB != nil {
			out = append(out, part)
			continue
		}
		if b < a || uint(b)-uint(a) >= maxGrid { // unsigned: no overflow
			return nil, fmt.Errorf("%s=%s: want a range FIRST..LAST, such as 1..5, of at most %d numbers", key, part, maxGrid)
		}
		for i := range b - a + 1 {
			out = append(out, strconv.Itoa(a+i))
		}
	}
	return out, nil
}

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
	_, err1 := strconv.Atoi(from)
	_, err2 := strconv.Atoi(to)
	if !log && (!interval || errLo != nil || errHi != nil) {
		all, err := expand(key, value)
		r.Values = all
		return r, err
	}
	r.Lo, r.Hi, r.Log, r.Whole = lo, hi, log, err1 == nil && err2 == nil
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

const logPrefix = "log:"

// Text formats a number of the interval with three digits, or as a whole number. Rounding
// also makes samples equal on processors whose logarithms differ in the last place.
func (r Range) Text(x float64) string {
	x = min(max(x, r.Lo), r.Hi)
	if r.Whole {
		return strconv.FormatFloat(math.RoundToEven(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Twice returns an error if two words set the same setting.
func Twice(words []string) error {
	seen := map[string]string{}
	for _, w := range words {
		key, value, is := strings.Cut(w, "=")
		if !is || strings.ContainsAny(key, `/\\`) { // the path of a file
			continue
		}
		if first, again := seen[key]; again && first == w {
			return fmt.Errorf("%s occurs twice: leave one out", w)
		} else if again {
			return fmt.Errorf("%s is given twice, %s and %s: leave one out; a grid of both is %s,%s", key, first, w, first, value)
		}
		seen[key] = w
	}
	return nil
}
