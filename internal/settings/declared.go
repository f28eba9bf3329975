package settings

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
)

// ofModel is the type of each model's own settings.
var ofModel = map[string]reflect.Type{}

// Declare registers the settings of a model by a pointer to their struct, so that readers of
// a run know the defaults without importing the model.
func Declare(model string, settings any) {
	t := reflect.TypeOf(settings)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("model %s: New returns %T, want a pointer to a struct", model, settings))
	}
	ofModel[model] = t.Elem()
}

// Declared yields the settings of every run and those of a model with their defaults, in
// order of declaration. An unknown model adds none.
func Declared(model string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, t := range typesOf(model) {
			s, err := schemaOf(t)
			if err != nil {
				continue // New returns the error
			}
			for _, d := range s.list {
				if !yield(d.Key, d.Default) {
					return
				}
			}
		}
	}
}

// typesOf returns the structs of the settings that runs of a model have.
func typesOf(model string) []reflect.Type {
	types := []reflect.Type{reflect.TypeFor[Run]()}
	if t := ofModel[model]; t != nil {
		types = append(types, t)
	}
	return types
}

// DigestOf computes the Set.Digest of an existing run from the texts of its settings; want is
// the expected digest. The defaults of settings that this program does not know, because they
// belong to another version, are unknown too. Those that were set (given) may still have their
// default value, so DigestOf tries all combinations. It returns the unknown keys.
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
	const maxTries = 1 << 10
	for choice := range min(maxTries, 1<<min(len(unsure), 30)) {
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

// declaration returns the declaration of a key, or nil.
func declaration(types []reflect.Type, key string) *declared {
	for _, t := range types {
		s, err := schemaOf(t)
		if err != nil {
			continue // New returns the error
		}
		if i, is := s.at[key]; is {
			return s.list[i]
		}
	}
	return nil
}
