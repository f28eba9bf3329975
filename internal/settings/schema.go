package settings

import (
	"fmt"
	"reflect"
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

// schema is the settings of a struct type.
type schema struct {
	list []*declared
	at   map[string]int // by key
}

// schemas caches the schema of each type, because grids plan many runs.
var schemas sync.Map

func schemaOf(t reflect.Type) (*schema, error) {
	known, ok := schemas.Load(t)
	if !ok {
		s, err := readSchema(t)
		if err != nil {
			return nil, err
		}
		known, _ = schemas.LoadOrStore(t, s)
	}
	return known.(*schema), nil
}

func readSchema(t reflect.Type) (*schema, error) {
	s := &schema{at: map[string]int{}}
	for _, f := range tagged(t) {
		d, err := declare(f)
		if err != nil {
			return nil, fmt.Errorf("settings: default of %w", err)
		}
		if _, twice := s.at[d.Key]; twice {
			return nil, fmt.Errorf("settings: key %q is declared twice", d.Key)
		}
		s.at[d.Key] = len(s.list)
		s.list = append(s.list, d)
	}
	return s, nil
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
		text = zeroText(f.Type.Kind())
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
