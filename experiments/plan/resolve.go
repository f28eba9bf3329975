package plan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"imdbexp/experiments"
	"imdbexp/internal/fsx"
	"imdbexp/internal/settings"
	"imdbexp/internal/yamltext"
	"imdbexp/models"
	"imdbexp/runs"
)

// Resolve returns the plans of the words of a command line, in the order of the words and without
// duplicates. A word is
//
//	tme9-lstm       an experiment
//	tme9            a group: all its experiments, each with every optimiser of
//	                its rows, unless optimizer=… is one of the words
//	FILE.yaml       an experiment and its differences (see readBases)
//	key=value       a setting for all of them; lists (lr=0.1,0.01) and ranges
//	                (seed=1..5) make a grid
//
// auto is the data set of data=auto. Resolve stops when ctx is cancelled.
func Resolve(ctx context.Context, words []string, auto string) ([]*Plan, error) {
	var names, assignments []string
	for _, w := range words {
		if strings.Contains(w, "=") && !IsFile(w) {
			assignments = append(assignments, w)
		} else {
			names = append(names, w)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("name an experiment: exp list shows all")
	}
	var all []*Plan
	seen := map[string]bool{}
	for _, name := range names {
		bases, err := Bases(name, assignments)
		if err != nil && IsSetting(name) {
			err = fmt.Errorf("%s is a setting: %s=VALUE", name, name)
		}
		if err != nil {
			return nil, err
		}
		grid, err := settings.Grid(assignments)
		if err != nil {
			return nil, err
		}
		for _, b := range bases {
			for _, g := range grid {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p, err := New(b, auto, g)
				if err != nil {
					return nil, explain(err, b.Experiment)
				}
				if k := b.Experiment.Name + p.Key(); !seen[k] {
					seen[k] = true
					all = append(all, p)
				}
			}
		}
	}
	return all, nil
}

// Bases returns the bases of an experiment, a group or a file. The rows of a group are bases unless
// the assignments set the optimiser.
func Bases(name string, assignments []string) ([]Base, error) {
	if IsFile(name) {
		return readBases(name)
	}
	var rows []Base // of a group
	for _, e := range experiments.Group(name) {
		if sets(assignments, "optimizer") || len(e.Rows) <= 1 { // as by its own name, which on the sample may use another optimiser
			rows = append(rows, Base{Experiment: e})
			continue
		}
		for _, r := range e.Rows {
			rows = append(rows, Base{Experiment: e, Overrides: []string{"optimizer=" + r.Optimizer}, From: "group " + name})
		}
	}
	if rows != nil {
		return rows, nil
	}
	e, err := experiments.Lookup(name)
	if err != nil {
		return nil, err
	}
	return []Base{{Experiment: e}}, nil
}

// IsFile reports whether a word looks like a path or a YAML file.
func IsFile(word string) bool {
	switch filepath.Ext(word) {
	case ".yaml", ".yml":
		return true
	}
	if !strings.ContainsAny(word, "/"+string(os.PathSeparator)) {
		return false
	}
	_, err := os.Stat(word)
	return err == nil || !strings.Contains(word, "=")
}

// Key is equal for plans with the same settings, apart from some.
func (p *Plan) Key(except ...string) string {
	var b strings.Builder
	for key, value := range p.Set.Values() {
		if !slices.Contains(except, key) {
			b.WriteString("\n" + key + "=" + strconv.Quote(value))
		}
	}
	return b.String()
}

// explain adds to the error of an unknown setting which models have it, and where the known settings
// are listed.
func explain(err error, e *experiments.Experiment) error {
	u, ok := errors.AsType[*settings.UnknownError](err)
	if !ok {
		return err
	}
	if of := modelsWith(u.Key); len(of) > 0 {
		at, _ := strings.CutSuffix(err.Error(), u.Error()) // of a file
		return fmt.Errorf("%ssetting %s belongs to model %s, and %s has model %s; exp show %s --settings lists all",
			at, u.Key, strings.Join(of, ", "), e.Name, e.Model, e.Name)
	}
	return fmt.Errorf("%w; exp show %s --settings lists all", err, e.Name)
}

// IsSetting reports whether any run or model has a setting with that key.
func IsSetting(key string) bool {
	return has(settings.Declared(""), key) || len(modelsWith(key)) > 0
}

func has(list []settings.Setting, key string) bool {
	return slices.ContainsFunc(list, func(s settings.Setting) bool { return s.Key == key })
}

// modelsWith returns the names of the models that have a setting of their own.
func modelsWith(key string) []string {
	return slices.DeleteFunc(models.Names(), func(name string) bool {
		return has(settings.Declared(""), key) || !has(settings.Declared(name), key)
	})
}

// Differing returns the keys of the settings in which the plans differ, in the order of their
// declaration.
func Differing(plans []*Plan) (keys []string) {
	values := map[string][]string{}
	for _, p := range plans {
		for key, value := range p.Set.Values() {
			if values[key] == nil {
				keys = append(keys, key)
			}
			values[key] = append(values[key], value)
		}
	}
	return slices.DeleteFunc(keys, func(k string) bool { return len(slices.Compact(values[k])) < 2 })
}

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
	at := map[string]string{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, root.Content[i+1]
		at[key] = fmt.Sprintf("%s:%d", file, root.Content[i].Line)
		text, err := valueText(value)
		assignment := key + "=" + text
		switch {
		case err != nil:
		case lookup(root, key) != value:
			err = errors.New("is set twice")
		case key != "base":
			_, err = settings.Grid([]string{assignment})
			assignments = append(assignments, assignment)
		case IsFile(text):
			err = fmt.Errorf("%s is a file; want the name of an experiment", text)
		default:
			e, err = experiments.Lookup(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", at[key], key, err)
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
		out = append(out, Base{Experiment: e, Overrides: g, From: filepath.Base(file), at: at})
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
