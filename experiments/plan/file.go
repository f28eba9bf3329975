package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"imdbexp/experiments"
	"imdbexp/internal/fsx"
	"imdbexp/internal/settings"
	"imdbexp/internal/yamltext"
	"imdbexp/runs"
)

// maxFile limits the size of a file of settings.
const maxFile = 1 << 20

// readBases reads a file of settings: the config.yaml of a run, which is repeated, or an experiment
// and its differences, in which lists and ranges make a grid as on the command line:
//
//	base: tme9-lstm
//	lr: [0.01, 0.001]
//	seed: 1..3
func readBases(file string) ([]Base, error) {
	b, err := fsx.ReadFile(file, maxFile)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, yamltext.Error(file, b, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: want lines of the form key: value, the first of them base: EXPERIMENT", file)
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	if err := cmp.Or(d.Decode(new(yaml.Node)), d.Decode(new(yaml.Node))); err != io.EOF { // Unmarshal ignores it
		return nil, fmt.Errorf("%s: more than one YAML document; remove the line --- or the lines below it", file)
	}
	root := doc.Content[0]
	if lookup(root, "format") != nil && lookup(root, "base") == nil {
		return configBase(file, b)
	}
	return differenceBases(file, root)
}

func lookup(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// configBase returns the run of a config.yaml.
func configBase(file string, b []byte) ([]Base, error) {
	c, err := runs.ParseConfig(file, b)
	if err != nil {
		return nil, err
	}
	e, err := experiments.Lookup(c.Name)
	var overrides []string
	if err == nil {
		overrides, err = kept(e, c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return []Base{{Experiment: e, Overrides: overrides, From: filepath.Base(file)}}, nil
}

func differenceBases(file string, root *yaml.Node) ([]Base, error) {
	var e *experiments.Experiment
	var assignments []string
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		at := fmt.Sprintf("%s:%d", file, key.Line)
		if lines[key.Value] > 0 {
			return nil, fmt.Errorf("%s: %s is set twice", at, key.Value)
		}
		lines[key.Value] = key.Line
		text, err := valueText(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", at, key.Value, err)
		}
		if key.Value != "base" {
			if _, err := settings.Grid([]string{key.Value + "=" + text}); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			assignments = append(assignments, key.Value+"="+text)
			continue
		}
		if IsFile(text) {
			return nil, fmt.Errorf("%s: base: %s is a file; want the name of an experiment", at, text)
		}
		if e, err = experiments.Lookup(text); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	if e == nil {
		return nil, fmt.Errorf("%s: no base: want a line such as base: tme9-lstm", file)
	}
	grid, err := settings.Grid(assignments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var out []Base
	for _, g := range grid {
		out = append(out, Base{Experiment: e, Overrides: g, From: filepath.Base(file), lines: lines})
	}
	return out, nil
}

// valueText returns the text of a scalar, or the texts of a list joined by commas.
func valueText(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, nil
	case yaml.AliasNode:
		return "", errors.New("aliases such as *" + n.Value + " are not supported; write the value")
	case yaml.SequenceNode:
		var values []string
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode {
				values = append(values, item.Value)
			}
		}
		if len(values) > 0 && len(values) == len(n.Content) {
			return strings.Join(values, ","), nil
		}
	}
	return "", errors.New("want one value or a list of values")
}
