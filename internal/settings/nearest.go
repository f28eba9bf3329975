package settings

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownError is an unknown setting.
type UnknownError struct {
	Key     string
	Nearest string // the most similar known key, or ""
}

func (e *UnknownError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("unknown setting %q", e.Key)
	}
	return fmt.Sprintf("unknown setting %q (did you mean %s?)", e.Key, e.Nearest)
}

// nearest returns the known key most similar to key. The first words of a setting's help
// count as another name of it.
func (s *Set) nearest(key string) string {
	keys := make([]string, len(s.list))
	for i, e := range s.list {
		keys[i] = e.Key
		if said, _, _ := strings.Cut(e.Help, ","); strings.EqualFold(said, strings.Join(parts(key), " ")) {
			return e.Key
		}
	}
	return closest(key, keys)
}

// Nearest returns " (did you mean X?)" with the known name most similar to name, or "" if
// none is similar.
func Nearest(name string, known []string) string {
	if n := closest(name, known); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

// closest returns the known name with the smallest edit distance, ignoring case, or else the
// shortest name that is a part of the given one or contains it as a part.
func closest(name string, known []string) string {
	best, limit := "", max(2, len(name)/3)+1
	for _, k := range known {
		// A distance as long as the name means that the names have nothing in common.
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < limit && d < min(len(name), len(k)) {
			best, limit = k, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range known {
		if (best == "" || len(k) < len(best)) && (partOf(name, k) || partOf(k, name)) {
			best = k
		}
	}
	return best
}

// partOf reports whether a name is one of the parts of another, longer one.
func partOf(name, whole string) bool {
	all := parts(whole)
	return len(all) > 1 && slices.ContainsFunc(all, func(p string) bool { return strings.EqualFold(p, name) })
}

// parts splits a name such as tme9-lstm, learning_rate or schedule.factor.
func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_. ", r) })
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

// MisfitError is the error of a setting that does not fit the data or the model.
type MisfitError struct{ error }

// Misfit returns a MisfitError, formatted as by fmt.Errorf.
func Misfit(format string, args ...any) error { return MisfitError{fmt.Errorf(format, args...)} }
