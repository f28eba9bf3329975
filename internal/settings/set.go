// Package settings turns the settings of a run into plain Go structs and back.
//
// A struct declares its settings by field tags:
//
//	LR float64 `key:"lr" default:"0.001" above:"0" help:"learning rate"`
//
// min and max are inclusive limits, above and below exclusive ones. needs is the condition
// under which the setting has an effect (see Idle).
//
// A Set joins several such structs (those of every run, those of one model) and fills in
// the defaults. It takes key=value overrides, with errors that name the nearest known key,
// records the origin of each value, and digests the values that differ from the defaults.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Setting is one setting with its value.
type Setting struct {
	Key     string
	Value   string // in canonical form
	Default string
	From    string // who set the value: "default", "command line", …
	Help    string
	Choices []string // nil if any value of the type is valid
	Needs   string   // condition under which it has an effect, see Idle
	Whole   bool     // a whole number
	Label   bool     // a label that changes no result and is not part of the digest
}

// Changed reports whether the value differs from the default.
func (s Setting) Changed() bool { return s.Value != s.Default }

// entry is a setting of one run.
type entry struct {
	*declared
	field reflect.Value
	value string // in canonical form
	from  string
}

func (e *entry) setting() Setting {
	s := e.Setting
	s.Value, s.From = e.value, e.from
	return s
}

// Set is the settings of one run, in the order of their declaration.
type Set struct{ list []entry }

// New joins the tagged fields of the given struct pointers, each set to its
// default. Fields of embedded structs are included. A malformed tag, an unsupported type or
// a duplicate key is an error.
func New(structs ...any) (*Set, error) {
	s := new(Set)
	for _, p := range structs {
		v := reflect.ValueOf(p)
		of, err := schemaOf(v.Elem().Type())
		if err != nil {
			return nil, err
		}
		s.list = slices.Grow(s.list, len(of))
		for _, d := range of {
			if s.find(d.Key) != nil {
				return nil, fmt.Errorf("settings: key %q is declared twice", d.Key)
			}
			e := entry{declared: d, field: v.Elem().FieldByIndex(d.index), value: d.Default, from: fromDefault}
			e.field.Set(d.zero)
			s.list = append(s.list, e)
		}
	}
	return s, nil
}

// fromDefault is the From of settings that were not set.
const fromDefault = "default"

// find returns the setting of a key, or nil.
func (s *Set) find(key string) *entry {
	if i := slices.IndexFunc(s.list, func(e entry) bool { return e.Key == key }); i >= 0 {
		return &s.list[i]
	}
	return nil
}

// Put sets key to value; from is the origin that exp show prints.
func (s *Set) Put(key, value, from string) error {
	e := s.find(key)
	if e == nil {
		return &UnknownError{key, s.nearest(key)}
	}
	if err := e.set(value); err != nil {
		return err
	}
	e.from = from
	return nil
}

// Apply sets each "key=value" in turn.
func (s *Set) Apply(from string, assignments ...string) error {
	for _, a := range assignments {
		key, value, err := Cut(a)
		if err != nil {
			return err
		}
		if err := s.Put(key, value, from); err != nil {
			return err
		}
	}
	return nil
}

// Cut splits "key=value".
func Cut(assignment string) (key, value string, err error) {
	key, value, ok := strings.Cut(assignment, "=")
	if !ok || key == "" {
		return "", "", fmt.Errorf("%q is not of the form key=value", assignment)
	}
	return key, value, nil
}

// Get returns the setting of a key.
func (s *Set) Get(key string) (Setting, bool) {
	if e := s.find(key); e != nil {
		return e.setting(), true
	}
	return Setting{}, false
}

// All returns every setting, in order of declaration.
func (s *Set) All() []Setting {
	out := make([]Setting, len(s.list))
	for i := range s.list {
		out[i] = s.list[i].setting()
	}
	return out
}

// Values yields every key with its value, in order of declaration.
func (s *Set) Values() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for i := range s.list {
			if e := &s.list[i]; !yield(e.Key, e.value) {
				return
			}
		}
	}
}

// Digest returns the hexadecimal SHA-256 of the settings that differ from their defaults,
// without the keys in except, and of the given facts. A new setting with its default
// therefore changes no digest.
func Digest(set []Setting, facts []string, except ...string) string {
	var lines []string
	for _, s := range set {
		if !s.Label && s.Changed() && !slices.Contains(except, s.Key) {
			lines = append(lines, s.Key+"="+s.Value)
		}
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range slices.Concat(lines, facts) {
		fmt.Fprintf(h, "%q\n", l)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Idle reports whether a setting has no effect because of another one: under is the value of
// that one, such as schedule=constant, and needs is the required value, such as schedule=step.
//
// The tag needs lists alternative conditions, KEY=VALUE|VALUE… or KEY!=VALUE, separated by
// spaces. A condition on a setting that the run does not have is true.
func (s *Set) Idle(key string) (under, needs string, idle bool) {
	e := s.find(key)
	if e == nil || e.Needs == "" {
		return "", "", false
	}
	var are, want []string
	for one := range strings.FieldsSeq(e.Needs) {
		other, values, not := condition(one)
		have := s.find(other)
		if have == nil || slices.Contains(values, have.value) != not {
			return "", "", false
		}
		are = append(are, other+"="+have.value)
		if not {
			want = append(want, fmt.Sprintf("%s other than %s", other, values[0]))
		} else {
			want = append(want, other+"="+strings.Join(values, " or "))
		}
	}
	return strings.Join(are, " and "), strings.Join(want, ", or "), true
}

// condition parses one condition of the tag needs.
func condition(text string) (key string, values []string, not bool) {
	key, value, _ := strings.Cut(text, "=")
	key, not = strings.CutSuffix(key, "!")
	return key, strings.Split(value, "|"), not
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
			return bad("want a whole number, or several such as 1,2,5 or 1..5")
		}
		if err := e.within(float64(v), bad); err != nil {
			return err
		}
		f.SetInt(int64(v))
		e.value = strconv.Itoa(v)
	case reflect.Uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return bad("want a whole number, 0 or more, or several such as 1,2,5 or 1..5")
		}
		f.SetUint(v)
		e.value = strconv.FormatUint(v, 10)
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return bad("want a number, or several such as 0.1,0.01")
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

func (e *entry) within(v float64, bad func(string) error) error {
	beyond := func(limit string, is func(at float64) bool) bool {
		if limit == "" {
			return false
		}
		at, err := strconv.ParseFloat(limit, 64)
		return err != nil || is(at)
	}
	switch {
	case beyond(e.above, func(lo float64) bool { return v <= lo }):
		return bad("want more than " + e.above)
	case beyond(e.min, func(lo float64) bool { return v < lo }):
		return bad("want " + e.min + " or more")
	case beyond(e.max, func(hi float64) bool { return v > hi }):
		return bad("want " + e.max + " or less")
	case beyond(e.below, func(hi float64) bool { return v >= hi }):
		return bad("want less than " + e.below)
	}
	return nil
}

// UnknownError is an unknown setting.
type UnknownError struct {
	Key  string
	hint string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("unknown setting %q%s", e.Key, e.hint) }

// nearest is Nearest of the known keys. The first words of a setting's help count as another name of it.
func (s *Set) nearest(key string) string {
	var keys []string
	for _, e := range s.list {
		keys = append(keys, e.Key)
		if said, _, _ := strings.Cut(e.Help, ","); strings.EqualFold(said, strings.Join(parts(key), " ")) {
			key = e.Key
		}
	}
	return Nearest(key, keys)
}

// Nearest returns " (did you mean X?)" with the known name most similar to name, or "" if
// none is similar.
func Nearest(name string, known []string) string {
	if n := Closest(name, known); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

// Closest returns the known name with the smallest edit distance, ignoring case, or else the
// shortest name that is a part of the given one or contains it as a part.
func Closest(name string, known []string) string {
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
