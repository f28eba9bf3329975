package infer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"

	"go.yaml.in/yaml/v3"

	"imdbexp/runs"
)

// ConfigJSON returns the fields of config.yaml as JSON, in their order. JSON is
// YAML: runs.ParseConfig reads it back.
func ConfigJSON(c *runs.Config) (string, error) {
	text, err := c.Encode()
	if err != nil {
		return "", err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return "", fmt.Errorf("config: %w", err)
	}
	var out bytes.Buffer
	if err := nodeJSON(&out, &doc); err != nil {
		return "", fmt.Errorf("config: %w", err)
	}
	return out.String(), nil
}

// nodeJSON writes a YAML node as JSON: numbers and booleans unchanged, all other scalars as strings.
func nodeJSON(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.DocumentNode:
		return nodeJSON(out, n.Content[0])
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteString(", ")
			}
			if err := nodeJSON(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(stringJSON(n.Content[i].Value) + ": ")
			if err := nodeJSON(out, n.Content[i+1]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
		return nil
	case yaml.ScalarNode:
		tag, value := n.ShortTag(), n.Value
		if !(tag == "!!int" || tag == "!!float" || tag == "!!bool") || !json.Valid([]byte(value)) {
			value = stringJSON(value)
		}
		out.WriteString(value)
		return nil
	}
	return fmt.Errorf("line %d is not a scalar, list or mapping", n.Line)
}

// stringJSON quotes a string for JSON and YAML; it also escapes the characters that YAML does not
// allow.
func stringJSON(s string) string {
	quoted, _ := json.Marshal(s) // a string always can be
	var out bytes.Buffer
	for _, r := range string(quoted) {
		if r < 0x10000 && !unicode.IsPrint(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
