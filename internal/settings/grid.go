package settings

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxGrid is the maximum number of runs in a grid, so that seed=1..1000000000 is an error.
const maxGrid = 10000

// Grid expands lists (lr=0.1,0.01), inclusive ranges of whole numbers (seed=1..5) and
// logarithmic ranges (lr=log:1e-4..1e-1/4) into all combinations of single assignments. The
// last key varies fastest.
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

// decimalComma returns an error for a list such as 0,01, which was meant as a decimal number:
// two whole numbers with superfluous leading zeros.
func decimalComma(key, value string) error {
	parts := strings.Split(value, ",")
	for i := 1; i < len(parts); i++ {
		before, after := parts[i-1], parts[i]
		if !digits(before) || !digits(after) || needless0(before) || !needless0(after) {
			continue
		}
		return fmt.Errorf("%s=%s is a list of %s: write %s=%s.%s for a number, or %s=%s,%s for a list",
			key, value, strings.Join(parts, " and "), key, before, after, key, before, strings.TrimLeft(after[:len(after)-1], "0")+after[len(after)-1:])
	}
	return nil
}

// needless0 reports whether digits begin with a superfluous 0.
func needless0(text string) bool { return len(text) > 1 && text[0] == '0' }

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// listed splits a list at its commas, but not at those of a run's settings, name[key=value,…].
func listed(value string) (out []string) {
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
	if err := decimalComma(key, value); err != nil {
		return nil, err
	}
	var out []string
	for _, part := range listed(value) {
		if interval, log := strings.CutPrefix(part, logPrefix); log {
			values, err := logList(key, interval)
			if err != nil {
				return nil, err
			}
			out = append(out, values...)
			continue
		}
		from, to, ok := strings.Cut(part, "..")
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if !ok || errA != nil || errB != nil {
			out = append(out, part)
			continue
		}
		if b < a || uint(b)-uint(a) >= maxGrid { // unsigned: no overflow
			return nil, fmt.Errorf("%s=%s: want a range FIRST..LAST of at most %d numbers", key, part, maxGrid)
		}
		for i := range b - a + 1 {
			out = append(out, strconv.Itoa(a+i))
		}
	}
	return out, nil
}
