package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// readJSONL reads one object a line. The keys of the first one are the columns.
func readJSONL(e *emitter, in *text) (How, error) {
	if e.o.pairs {
		return readPairLines(e, in)
	}
	how := How{Format: JSONL}
	err := in.each(func(line []byte) (err error) {
		p := place{unit: "line", number: in.line}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			return nil
		case line[0] == '[':
			return e.fail(p, "", errors.New("is an array: write one object a line, for example with jq -c '.[]'"))
		case !utf8.Valid(line): // package json would replace it silently
			return e.fail(p, "", e.check(string(line)))
		}
		if how.Text == "" {
			if how, err = jsonColumns(e, line); err != nil {
				return e.fail(p, "", err)
			}
		}
		values, err := jsonValues(line, e.o.Limits.Columns, how.Text, how.Label, how.ID, how.Rationale, how.Split)
		if err != nil {
			return e.fail(p, "", err)
		}
		text, err := jsonString(values[how.Text])
		if err != nil {
			return e.fail(p, how.Text, err)
		}
		r := Record{Text: text}
		if v := values[how.Label]; how.Label != "" && !((e.o.Asked || how.Split != "") && (v == nil || string(v) == "null")) {
			if r.Label, err = jsonLabel(v); err != nil {
				return e.fail(p, how.Label, err)
			}
		}
		if v := values[how.ID]; how.ID != "" && v != nil && string(v) != "null" {
			if r.ID, err = jsonLabel(v); err != nil {
				return e.fail(p, how.ID, errors.New("is not a name: make it a string or a number, or choose another column with --id-column"))
			}
		}
		if v := values[how.Rationale]; how.Rationale != "" {
			if r.rationale, err = jsonRationale(v); err != nil {
				return e.fail(p, how.Rationale, err)
			}
		}
		if v := values[how.Split]; how.Split != "" && v != nil && string(v) != "null" {
			if r.Split, err = jsonLabel(v); err != nil {
				return e.fail(p, how.Split, errors.New("does not name a part: make it a string"))
			}
		}
		return e.record(p, how, r)
	})
	return how, err
}

func jsonColumns(e *emitter, line []byte) (How, error) {
	var names []string
	err := jsonObject(line, e.o.Limits.Columns, func(key string, _ json.RawMessage) { names = append(names, key) })
	if err != nil {
		return How{}, err
	}
	c, err := chooseColumns(names, e.o)
	if err != nil {
		return How{}, err
	}
	how := How{Format: JSONL}
	how.set(c, func(i int) string { return names[i] })
	return how, nil
}

// jsonValues returns the values of some keys.
func jsonValues(line []byte, columns int, keys ...string) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(keys))
	err := jsonObject(line, columns, func(key string, v json.RawMessage) {
		for _, k := range keys {
			if k == key {
				out[key] = bytes.Clone(v)
			}
		}
	})
	return out, err
}

// jsonObject calls f for each key of an object; the value is valid until f returns.
func jsonObject(line []byte, columns int, f func(key string, v json.RawMessage)) error {
	d := json.NewDecoder(bytes.NewReader(line))
	fault := func(err error) error {
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			err = errors.New("ends too early; jq -c . writes each on one")
		}
		return fmt.Errorf("is not a JSON object on one line (%w)", err)
	}
	if t, err := d.Token(); err != nil {
		return fault(err)
	} else if t != json.Delim('{') {
		return fault(errors.New("does not begin with a brace"))
	}
	var v json.RawMessage
	for n := 0; d.More(); n++ {
		if n == columns {
			return fmt.Errorf("more than %d columns: keep those of text and label", columns)
		}
		key, err := d.Token()
		if err != nil {
			return fault(err)
		}
		v = v[:0]
		if err := d.Decode(&v); err != nil {
			return fault(err)
		}
		f(key.(string), v)
	}
	if _, err := d.Token(); err != nil {
		return fault(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fault(errors.New("has more text after the object"))
	}
	return nil
}

// jsonString reads a text; null is an empty one.
func jsonString(v json.RawMessage) (s string, err error) {
	if v == nil {
		return "", errors.New("is missing in this object: add it, or remove the line")
	}
	if err := json.Unmarshal(v, &s); err != nil {
		return "", fmt.Errorf("is not a string but %s: make it one, or choose another column with --text-column", quote(string(v)))
	}
	return s, nil
}

// jsonLabel reads a label: a string, or a number or boolean as it is written.
func jsonLabel(v json.RawMessage) (s string, err error) {
	switch {
	case v == nil || string(v) == "null":
		return "", errNoLabel
	case v[0] == '{' || v[0] == '[':
		return "", fmt.Errorf("is not a label but %s: make it a string or a number, or choose another column with --label-column", quote(string(v)))
	case v[0] == '"':
		err = json.Unmarshal(v, &s)
		return s, err
	}
	return string(v), nil
}
