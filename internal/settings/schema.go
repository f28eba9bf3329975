package settings

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// declared is a setting as declared by the tags of its field. All runs share it.
type declared struct {
	Setting                // with its default value
	index                  []int
	zero                   reflect.Value // the default
	min, max, above, below string
}

// schemas caches the schema of each type, because grids plan many runs.
var schemas sync.Map

func schemaOf(t reflect.Type) (list []*declared, err error) {
	if known, ok := schemas.Load(t); ok {
		return known.([]*declared), nil
	}
	for _, f := range tagged(t) {
		d, err := declare(f)
		if err != nil {
			return nil, fmt.Errorf("settings: default of %w", err)
		}
		list = append(list, d)
	}
	schemas.Store(t, list)
	return list, nil
}

func declare(f reflect.StructField) (*declared, error) {
	tag := f.Tag.Get
	d := &declared{index: f.Index, min: tag("min"), max: tag("max"), above: tag("above"), below: tag("below"), zero: reflect.New(f.Type).Elem()}
	d.Key, d.Help, d.Needs, d.From = tag("key"), tag("help"), tag("needs"), fromDefault
	d.Label = tag("digest") == "-"
	d.Whole = f.Type.Kind() == reflect.Int || f.Type.Kind() == reflect.Uint64
	if c := tag("choices"); c != "" {
		d.Choices = strings.Split(c, "|")
	}
	text := tag("default")
	if text == "" && f.Type.Kind() != reflect.String {
		text = map[bool]string{true: "false", false: "0"}[f.Type.Kind() == reflect.Bool]
	}
	e := entry{declared: d, field: d.zero}
	if err := e.set(text); err != nil {
		return nil, err
	}
	d.Value, d.Default = e.value, e.value
	return d, nil
}

// tagged returns the fields of a struct that are settings, including those of embedded
// structs, with their Index from the outermost struct.
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

// Declared returns the settings of every run and those of a model with their defaults, in
// order of declaration. An unknown model adds none.
func Declared(model string) (out []Setting) {
	all, _ := schemaOf(reflect.TypeFor[Run]()) // New returns the errors
	if t := ofModel[model]; t != nil {
		own, _ := schemaOf(t)
		all = slices.Concat(all, own)
	}
	for _, d := range all {
		out = append(out, d.Setting)
	}
	return out
}

// known returns the settings of a Run by their keys, and a Run of defaults.
var known = sync.OnceValues(func() (map[string]*declared, Run) {
	var defaults Run
	set, err := New(&defaults)
	if err != nil {
		panic(err) // a malformed tag, which every test finds
	}
	byKey := map[string]*declared{}
	for _, e := range set.list {
		byKey[e.Key] = e.declared
	}
	return byKey, defaults
})

// Read returns the settings of an existing run from their texts. A setting that the run lacks
// is newer than the run and has its default. Choices and limits are not checked, because
// another version may have had others. Settings of models are skipped.
func Read(texts iter.Seq2[string, string]) *Run {
	byKey, r := known()
	v := reflect.ValueOf(&r).Elem()
	for key, text := range texts {
		if d := byKey[key]; d != nil && text != d.Default {
			_ = (&entry{declared: new(declared), field: v.FieldByIndex(d.index)}).set(text) // text that is not a number leaves the default
		}
	}
	return &r
}
