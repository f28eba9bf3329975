package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// maxIndex bounds the indices of tasks, as Slurm does (4 000 000).
const maxIndex = 4_000_000

// FormatIndices writes the indices of tasks as sbatch --array wants them, sorted:
// 0-3,7.
func FormatIndices(indices []int) string {
	list := slices.Compact(slices.Sorted(slices.Values(indices)))
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := itoa(list[i])
		if j > i {
			part += "-" + itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// ParseIndices reads what FormatIndices writes, and what Slurm makes of it: a step
// (0-8:2), brackets and a limit of tasks at once ([4-7%2]).
func ParseIndices(text string) ([]int, error) {
	spec := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	spec, _, _ = strings.Cut(spec, "%")
	var out []int
	for part := range strings.SplitSeq(spec, ",") {
		span, by, stepped := strings.Cut(part, ":")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		step := 1
		a, errA := index(from)
		b, errB := index(to)
		var errStep error
		if stepped {
			step, errStep = index(by)
		}
		if errA != nil || errB != nil || errStep != nil || b < a || step < 1 {
			return nil, fmt.Errorf("%q are no indices of an array, such as 0-3,7", text)
		}
		if len(out)+(b-a)/step > maxIndex {
			return nil, fmt.Errorf("%q are more than %d indices", text, maxIndex)
		}
		for i := a; i <= b; i += step {
			out = append(out, i)
		}
	}
	return out, nil
}

func index(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err == nil && n > maxIndex {
		err = strconv.ErrRange
	}
	return int(n), err
}
