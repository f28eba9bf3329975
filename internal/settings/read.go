package settings

import (
	"iter"
	"reflect"
	"sync"
)

// known returns the field index of each setting of a Run, and a Run of defaults.
var known = sync.OnceValues(func() (map[string][]int, Run) {
	var defaults Run
	if _, err := New(&defaults); err != nil {
		panic(err) // a malformed tag, which every test finds
	}
	index := map[string][]int{}
	for _, f := range tagged(reflect.TypeFor[Run]()) {
		index[f.Tag.Get("key")] = f.Index
	}
	return index, defaults
})

// anything accepts any value.
var anything = new(declared)

// Read returns the settings of an existing run from their texts. A setting that the run lacks
// is newer than the run and has its default. Choices and limits are not checked, because
// another version may have had others. Settings of models are skipped.
func Read(texts iter.Seq2[string, string]) *Run {
	index, r := known()
	v := reflect.ValueOf(&r).Elem()
	for key, text := range texts {
		if at, is := index[key]; is {
			_ = (&entry{declared: anything, field: v.FieldByIndex(at)}).set(text) // text that is not a number leaves the default
		}
	}
	return &r
}
