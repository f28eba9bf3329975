package settings

import (
	"iter"
	"reflect"
	"slices"
)

// ofModel has the type of the settings that each model adds to those of Run.
var ofModel = map[string]reflect.Type{}

// Declare says which settings a model has, by a pointer to their struct, so that who
// reads a kept run knows the defaults without knowing the model.
func Declare(model string, settings any) { ofModel[model] = reflect.TypeOf(settings).Elem() }

// Declared yields the settings of every run and those of a model at their defaults, in order
// of declaration; of a model that nobody has declared the former alone.
func Declared(model string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, t := range typesOf(model) {
			s, err := schemaOf(t)
			if err != nil {
				continue // New tells
			}
			for _, d := range s.list {
				if !yield(d.Key, d.Default) {
					return
				}
			}
		}
	}
}

// typesOf returns the structs that hold what a run of a model has.
func typesOf(model string) []reflect.Type {
	types := []reflect.Type{reflect.TypeFor[Run]()}
	if t := ofModel[model]; t != nil {
		types = append(types, t)
	}
	return types
}

// DigestOf returns what Set.Digest gave when a run was made, from the texts of its
// settings; want is what that should be. Of settings that this program does not know,
// those of a model or a version that it lacks, it cannot tell the defaults: of those that
// somebody has set, given says which, some may have the default all the same, and each
// choice of them is tried. All that are not known are returned.
func DigestOf(want, model string, texts iter.Seq2[string, string], given func(key string) bool, facts []string, except ...string) (digest string, unknown []string) {
	types := typesOf(model)
	var lines, unsure []string
	for key, text := range texts {
		d := declaration(types, key)
		switch {
		case slices.Contains(except, key):
		case d == nil:
			unknown = append(unknown, key)
			if given(key) {
				unsure = append(unsure, key+"="+text)
			}
		case !d.Label && text != d.Default:
			lines = append(lines, key+"="+text)
		}
	}
	const most = 1 << 10
	for choice := range min(most, 1<<min(len(unsure), 30)) {
		some := slices.Clone(lines)
		for i, line := range unsure {
			if choice>>i&1 == 0 {
				some = append(some, line)
			}
		}
		if digest = digestOf(some, facts); digest == want {
			return digest, unknown
		}
	}
	return digest, unknown
}

// declaration returns what a key is in the first of the structs that has it, or nil.
func declaration(types []reflect.Type, key string) *declared {
	for _, t := range types {
		s, err := schemaOf(t)
		if err != nil {
			continue // New tells
		}
		if i, is := s.at[key]; is {
			return s.list[i]
		}
	}
	return nil
}
