package settings

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func zeroText(k reflect.Kind) string {
	if k == reflect.Bool {
		return "false"
	}
	return "0"
}

// set parses text into the field and stores its canonical form.
func (e *entry) set(text string) error {
	bad := func(want string) error {
		if strings.ContainsAny(text, "\n\r") { // a message is one line
			text = strconv.Quote(text)
		}
		return fmt.Errorf("setting %s=%s: %s", e.Key, text, want)
	}
	if e.Choices != nil && !slices.Contains(e.Choices, text) {
		return bad("use one of " + strings.Join(e.Choices, ", ") + Nearest(text, e.Choices))
	}
	switch f := e.field; f.Kind() {
	case reflect.String:
		f.SetString(text)
		e.value = text
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return bad("want true or false")
		}
		f.SetBool(v)
		e.value = strconv.FormatBool(v)
	case reflect.Int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return bad("want a whole number" + several(text, "1,2,5 or 1..5"))
		}
		if err := e.within(float64(v), bad); err != nil {
			return err
		}
		f.SetInt(int64(v))
		e.value = strconv.Itoa(v)
	case reflect.Uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return bad("want a whole number, 0 or more" + several(text, "1,2,5 or 1..5"))
		}
		f.SetUint(v)
		e.value = strconv.FormatUint(v, 10)
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return bad("want a number" + several(text, "0.1,0.01 or log:1e-4..1e-1/4, and an interval is for --search random"))
		}
		if err := e.within(v, bad); err != nil {
			return err
		}
		v += 0 // turns −0 into 0, so that they have one digest
		f.SetFloat(v)
		e.value = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return bad("unsupported type " + f.Kind().String())
	}
	return nil
}

// several says how to write several values after text that looks like a range of them.
func several(text, are string) string {
	if first, last, is := strings.Cut(strings.Replace(text, "..", "-", 1), "-"); is && first != "" && last != "" {
		return "; several are " + are
	}
	return ""
}

func (e *entry) within(v float64, bad func(string) error) error {
	if lo, err := strconv.ParseFloat(e.above, 64); e.above != "" && (err != nil || v <= lo) {
		return bad("want more than " + e.above)
	}
	if lo, err := strconv.ParseFloat(e.min, 64); e.min != "" && (err != nil || v < lo) {
		return bad("want " + e.min + " or more")
	}
	if hi, err := strconv.ParseFloat(e.max, 64); e.max != "" && (err != nil || v > hi) {
		return bad("want " + e.max + " or less")
	}
	if hi, err := strconv.ParseFloat(e.below, 64); e.below != "" && (err != nil || v >= hi) {
		return bad("want less than " + e.below)
	}
	return nil
}

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
