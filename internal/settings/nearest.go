package settings

import "fmt"

// UnknownError is an override of a setting that does not exist.
type UnknownError struct {
	Key     string
	Nearest string // the known key most like it, or ""
}

func (e *UnknownError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("unknown setting %q", e.Key)
	}
	return fmt.Sprintf("unknown setting %q (did you mean %s?)", e.Key, e.Nearest)
}

func (s *Set) nearest(key string) string {
	keys := make([]string, len(s.list))
	for i, e := range s.list {
		keys[i] = e.Key
	}
	return closest(key, keys)
}

// Nearest returns " (did you mean X?)" for the known name most like the given
// one, or "" when none is close.
func Nearest(name string, known []string) string {
	if n := closest(name, known); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

func closest(name string, known []string) string {
	best, limit := "", max(2, len(name)/3)+1
	for _, k := range known {
		// A distance as long as a name itself says that nothing is alike.
		if d := distance(name, k); d < limit && d < min(len(name), len(k)) {
			best, limit = k, d
		}
	}
	return best
}

// distance is Levenshtein's: insertions, deletions and substitutions, each 1.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
