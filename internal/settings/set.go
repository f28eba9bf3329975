// Package settings turns the settings of a run into plain Go structs and back.
//
// A struct declares its settings by field tags:
//
//	LR float64 `key:"lr" default:"0.001" min:"0" help:"learning rate"`
//
// A Set joins several such structs (what every run has, what one model adds),
// fills in the defaults, takes key=value overrides with errors that name the
// nearest known key, remembers where each value came from, and digests what
// differs from the defaults.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// Setting is one setting as people see it.
type Setting struct {
	Key     string
	Value   string // in the one form that Digest also uses
	Default string
	From    string // who set the value: "default", "command line", …
	Help    string
	Choices []string // nil when any value of the type will do
	Whole   bool     // a whole number
	Label   bool     // it names something and changes no result: outside the digest
}

// Changed reports whether the value differs from the default.
func (s Setting) Changed() bool { return s.Value != s.Default }

type entry struct {
	Setting
	field    reflect.Value
	min, max string
}

// Set is the settings of one run, in the order of their declaration.
type Set struct {
	list  []*entry
	byKey map[string]*entry
}

// New joins the tagged fields of the given struct pointers, each set to its
// default. Embedded structs count as if written in place. A malformed tag, an
// unsupported type or a key used twice is an error.
func New(structs ...any) (*Set, error) {
	s := &Set{byKey: map[string]*entry{}}
	for _, p := range structs {
		v := reflect.ValueOf(p)
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
			return nil, fmt.Errorf("settings: %T is not a pointer to a struct", p)
		}
		if err := s.add(v.Elem()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) add(v reflect.Value) error {
	for _, f := range tagged(v.Type()) {
		key := f.Tag.Get("key")
		if s.byKey[key] != nil {
			return fmt.Errorf("settings: key %q is declared twice", key)
		}
		e := &entry{field: v.FieldByIndex(f.Index), min: f.Tag.Get("min"), max: f.Tag.Get("max")}
		e.Key, e.Help, e.From = key, f.Tag.Get("help"), "default"
		e.Label = f.Tag.Get("digest") == "-"
		e.Whole = f.Type.Kind() == reflect.Int || f.Type.Kind() == reflect.Uint64
		if c := f.Tag.Get("choices"); c != "" {
			e.Choices = strings.Split(c, "|")
		}
		def := f.Tag.Get("default")
		if def == "" && f.Type.Kind() != reflect.String {
			def = zeroText(f.Type.Kind())
		}
		if err := e.set(def); err != nil {
			return fmt.Errorf("settings: default of %w", err)
		}
		e.Default = e.Value
		s.list = append(s.list, e)
		s.byKey[key] = e
	}
	return nil
}

// tagged returns the fields of a struct that are settings, those of embedded structs
// in their place, with their way from the outermost as Index.
func tagged(t reflect.Type) (out []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		if _, is := f.Tag.Lookup("key"); is {
			out = append(out, f)
		} else if f.Anonymous {
			for _, inner := range tagged(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				out = append(out, inner)
			}
		}
	}
	return out
}

// Put sets key to value; from says who did (shown by exp show).
func (s *Set) Put(key, value, from string) error {
	e := s.byKey[key]
	if e == nil {
		return &UnknownError{Key: key, Nearest: s.nearest(key)}
	}
	if err := e.set(value); err != nil {
		return err
	}
	e.From = from
	return nil
}

// Apply puts each "key=value" in turn.
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

// Get returns the setting of that key.
func (s *Set) Get(key string) (Setting, bool) {
	if e := s.byKey[key]; e != nil {
		return e.Setting, true
	}
	return Setting{}, false
}

// All returns every setting, in order of declaration.
func (s *Set) All() []Setting {
	out := make([]Setting, len(s.list))
	for i, e := range s.list {
		out[i] = e.Setting
	}
	return out
}

// Digest returns the SHA-256, in hexadecimal, of the settings that differ from
// their defaults and of the given facts, leaving out the keys in except. Adding
// a setting therefore keeps every digest in which it has its default.
func (s *Set) Digest(facts []string, except ...string) string {
	var lines []string
	for _, e := range s.list {
		skip := e.Label || !e.Changed()
		for _, x := range except {
			skip = skip || e.Key == x
		}
		if !skip {
			lines = append(lines, e.Key+"="+e.Value)
		}
	}
	sort.Strings(lines)
	h := sha256.New()
	for _, l := range append(lines, facts...) {
		fmt.Fprintf(h, "%q\n", l)
	}
	return hex.EncodeToString(h.Sum(nil))
}
