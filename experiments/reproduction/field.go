package reproduction

import (
	"bytes"
	"encoding/json"
	"fmt"

	"imdbexp/runs"
)

// text returns a file of a run as far as it counts.
func text(r *runs.Run, file string) ([]byte, error) {
	switch file {
	case runs.MetricsFile:
		return r.MetricsText()
	case runs.EntropyFile:
		return r.EntropyText()
	case runs.TestedFile:
		return r.TestedText()
	}
	return r.AnswersText()
}

// firstField goes down into two different values of JSON to the first place where
// they differ, in the order in which the first was written. ok is false where one
// is no JSON.
func firstField(path string, a, b json.RawMessage) (at string, kept, now json.RawMessage, ok bool) {
	x, okX := members(a)
	y, okY := members(b)
	if !okX || !okY {
		return "", nil, nil, false
	}
	if x == nil || y == nil || x[0].list != y[0].list || x[0].list && len(x) != len(y) {
		return path, a, b, path != ""
	}
	in := map[string]json.RawMessage{}
	for _, m := range y {
		in[m.name] = m.value
	}
	for _, m := range x {
		other, there := in[m.name]
		delete(in, m.name)
		switch {
		case !there:
			return m.under(path), m.value, json.RawMessage(missing), true
		case !bytes.Equal(m.value, other):
			if at, kept, now, ok := firstField(m.under(path), m.value, other); ok {
				return at, kept, now, true
			}
			return m.under(path), m.value, other, true
		}
	}
	for _, m := range y {
		if _, left := in[m.name]; left {
			return m.under(path), json.RawMessage(missing), m.value, true
		}
	}
	return path, a, b, path != "" // written otherwise, such as with other spaces
}

// member is a field of an object or an element of a list.
type member struct {
	name  string
	value json.RawMessage
	list  bool
}

func (m member) under(path string) string {
	switch {
	case m.list:
		return path + "[" + m.name + "]"
	case path == "":
		return m.name
	}
	return path + "." + m.name
}

// members returns what an object or a list holds, in order; nil for an empty one
// and for anything else that is JSON.
func members(b json.RawMessage) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	t, err := d.Token()
	if err != nil {
		return nil, false
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil, true
	}
	var out []member
	for d.More() {
		m := member{name: fmt.Sprint(len(out)), list: open == '['}
		if !m.list {
			key, err := d.Token()
			if err != nil {
				return nil, false
			}
			m.name, _ = key.(string)
		}
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}
