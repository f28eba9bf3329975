package runs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Value is one setting, with its value as text in canonical form.
type Value struct{ Key, Value string }

// Values are settings in the order of their declaration.
type Values []Value

// Get returns the value of a key.
func (v Values) Get(key string) (string, bool) {
	for _, s := range v {
		if s.Key == key {
			return s.Value, true
		}
	}
	return "", false
}

// all yields the settings in order.
func (v Values) all(yield func(key, value string) bool) {
	for _, s := range v {
		if !yield(s.Key, s.Value) {
			return
		}
	}
}

// Assignments returns the settings as key=value.
func (v Values) Assignments() []string {
	out := make([]string, len(v))
	for i, s := range v {
		out[i] = s.Key + "=" + s.Value
	}
	return out
}

// MarshalYAML writes a mapping in order. Values are quoted only if YAML requires it.
func (v Values) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range v {
		if !utf8.ValidString(s.Key) || !utf8.ValidString(s.Value) {
			return nil, fmt.Errorf("setting %s=%q is not UTF-8", s.Key, s.Value)
		}
		n.Content = append(n.Content, textNode(s.Key), textNode(s.Value))
	}
	return n, nil
}

func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// UnmarshalYAML reads a mapping of scalars as text.
func (v *Values) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want settings as key: value", n.Line)
	}
	*v = nil
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: want one value for setting %q", value.Line, key.Value)
		}
		if seen[key.Value] {
			return fmt.Errorf("line %d: setting %s is there twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		*v = append(*v, Value{key.Value, value.Value})
	}
	return nil
}
