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
	"reflect"
	"slices"
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
		return &UnknownError{Key: key, Nearest: s.nearest(key)}
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
func (s *Set) Digest(facts []string, except ...string) string {
	var lines []string
	for _, e := range s.list {
		if !e.Label && e.value != e.Default && !slices.Contains(except, e.Key) {
			lines = append(lines, e.Key+"="+e.value)
		}
	}
	return digestOf(lines, facts)
}

func digestOf(lines, facts []string) string {
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
