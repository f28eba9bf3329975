package settings

import (
	"iter"
	"reflect"
	"sync"
)

// known is the way to each setting of a Run, and a Run of defaults.
var known = sync.OnceValues(func() (map[string][]int, Run) {
	var defaults Run
	if _, err := New(&defaults); err != nil {
		panic(err) // a malformed tag: every test sees it
	}
	index := map[string][]int{}
	for _, f := range tagged(reflect.TypeFor[Run]()) {
		index[f.Tag.Get("key")] = f.Index
	}
	return index, defaults
})

// anything has neither choices nor limits.
var anything = new(declared)

// Read returns what every run has from the texts of a kept one. A setting that it
// lacks came later and has its default, for that is always what was done before. What
// another version of this program wrote is taken as it is: choices and limits are not
// checked, and keys of a model are passed over.
func Read(texts iter.Seq2[string, string]) *Run {
	index, r := known()
	v := reflect.ValueOf(&r).Elem()
	for key, text := range texts {
		if at, is := index[key]; is {
			_ = (&entry{declared: anything, field: v.FieldByIndex(at)}).set(text) // what is no number leaves the default
		}
	}
	return &r
}

// OfEveryRun reports whether a key is a setting of Run rather than of a model.
func OfEveryRun(key string) bool {
	index, _ := known()
	_, is := index[key]
	return is
}
