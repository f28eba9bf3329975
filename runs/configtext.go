package runs

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// The YAML package writes a text of several lines that begins with a tab as a block
// that it cannot read itself. Such a text has to stand in quotes.
func unreadable(s string) bool { return strings.HasPrefix(s, "\t") && strings.Contains(s, "\n") }

// Names are names that others have given, with whatever characters.
type Names []string

// MarshalYAML writes a list of strings that can be read back.
func (l Names) MarshalYAML() (any, error) {
	out := make([]any, len(l))
	for i, s := range l {
		if out[i] = s; unreadable(s) {
			out[i] = textNode(s)
		}
	}
	return out, nil
}

// MarshalYAML writes the fields so that they can be read back.
func (p Published) MarshalYAML() (any, error) {
	type fields Published
	out := fields(p)
	texts := map[string]string{}
	for key, s := range map[string]*string{"row": &out.Row, "source": &out.Source, "note": &out.Note} {
		if unreadable(*s) {
			texts[key], *s = *s, "…"
		}
	}
	if len(texts) == 0 {
		return out, nil
	}
	n := new(yaml.Node)
	if err := n.Encode(out); err != nil {
		return nil, err
	}
	for i := 0; i < len(n.Content); i += 2 {
		if s, is := texts[n.Content[i].Value]; is {
			n.Content[i+1] = textNode(s)
		}
	}
	return n, nil
}
