package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"imdbexp/internal/settings"
	"imdbexp/internal/yamltext"
)

// Config describes a run: everything needed to train it again, and the published row that
// it repeats.
type Config struct {
	Format   int               `yaml:"format"`
	Name     string            `yaml:"name"`    // experiment, such as tme9-lstm; the run's folder is NAME/ID
	ID       string            `yaml:"id"`      // first 12 hexadecimal digits of Digest
	Digest   string            `yaml:"digest"`  // SHA-256 of everything that changes the result
	Lineage  string            `yaml:"lineage"` // the same without epochs and test.tail: equal for a run and one that extends it
	Result   int               `yaml:"result"`  // result version of the program, raised when goldens change
	Model    string            `yaml:"model"`
	Variant  string            `yaml:"variant,omitempty"` // a label: original, default, …
	Settings Values            `yaml:"settings"`          // all of them
	From     map[string]string `yaml:"from,omitempty"`    // who set each setting that was set
	Digests  map[string]string `yaml:"digests,omitempty"` // of the content of data, vectors, …
	Table    string            `yaml:"table,omitempty"`   // digest of the Table, Vocabularies or Features in the store
	Classes  []string          `yaml:"classes"`
	Data     DataFacts         `yaml:"data"`

	// Published is the published row that the run repeats, or nil. It changes no result.
	Published *Published `yaml:"published,omitempty"`
}

// DataFacts describes the data of a run.
type DataFacts struct {
	Name  string `yaml:"name"`           // imdb, sample, …, never auto
	Kind  string `yaml:"kind,omitempty"` // PairsKind, NgramsKind, or "" for reviews as word vectors
	Train Part   `yaml:"train"`
	Valid Part   `yaml:"valid,omitempty"`
	Test  Part   `yaml:"test"`
}

// Part is the size of one split.
type Part struct {
	Reviews int `yaml:"reviews"` // or pairs
	Words   int `yaml:"words"`   // of the source language, for pairs
	Targets int `yaml:"targets,omitempty"`
}

// Unit returns "reviews" or "pairs".
func (d DataFacts) Unit() string { return taskOf(d.Kind).Unit }

// Published is a row of a published table. Accuracies are in percent. Numbers that were not
// published are zero.
type Published struct {
	Row       string  `yaml:"row" json:"row"`
	TrainLoss float64 `yaml:"train_loss,omitempty" json:"train_loss,omitempty"`
	TestLoss  float64 `yaml:"test_loss,omitempty" json:"test_loss,omitempty"`
	TrainAcc  float64 `yaml:"train_acc,omitempty" json:"train_acc,omitempty"`
	TestAcc   float64 `yaml:"test_acc,omitempty" json:"test_acc,omitempty"`
	Epochs    int     `yaml:"epochs,omitempty" json:"epochs,omitempty"`
	Source    string  `yaml:"source" json:"source"`
	Note      string  `yaml:"note,omitempty" json:"note,omitempty"`
}

// NewConfig returns a configuration with the ID that follows from the settings and the
// content digests (see Identify). The caller adds Table, Classes, Data and Published.
func NewConfig(name, model string, result int, set *settings.Set, digests map[string]string) Config {
	c := Config{Format: Format, Name: name, Model: model, Result: result, Digests: digests, From: map[string]string{}}
	for _, s := range set.All() {
		c.Settings = append(c.Settings, Value{s.Key, s.Value})
		if s.From != "default" {
			c.From[s.Key] = s.From
		}
	}
	c.Variant = c.General().Variant
	c.Digest, c.Lineage = Identify(model, result, set.All(), digests)
	c.ID = c.Digest[:idDigits]
	return c
}

// Setting returns the text of a setting, "" if the run does not have it. General returns
// the settings of every run as typed values.
func (c *Config) Setting(key string) string {
	v, _ := c.Settings.Get(key)
	return v
}

// Optimizer returns "adam", "sgd", …, or "newton" for a run that counts n-grams.
func (c *Config) Optimizer() string {
	if c.Counts() {
		return "newton"
	}
	return c.General().Optimizer.Optimizer
}

// General returns the settings of every run. A setting that an older run lacks has its
// default, which is how runs behaved before the setting existed.
func (c *Config) General() *settings.Run { return settings.Read(c.Settings.all) }

// Epochs returns the number of epochs requested.
func (c *Config) Epochs() int { return c.General().Epochs }

// Padded reports whether attention also covers padding (slip.pad), so that the number of
// attended words is not the number of words in the review.
func (c *Config) Padded() bool { return c.Setting("slip.pad") == "true" }

func (c *Config) Seed() uint64 { return c.General().Seed }

// Encode returns the text of config.yaml.
func (c *Config) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(c), enc.Close()); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return b.Bytes(), nil
}

// ParseConfig parses the text of a config.yaml. An unknown field is an error. Errors name
// file and the line.
func ParseConfig(file string, b []byte) (*Config, error) {
	c := new(Config)
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	err := dec.Decode(c)
	if err != nil && err != io.EOF { // a newer format may have other fields
		head := struct{ Format int }{1}
		_ = yaml.Unmarshal(b, &head)
		c.Format = head.Format
	}
	if err := checkFormat(file, c.Format); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, yamltext.Error(file, b, err)
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, fmt.Errorf("%s: more than one YAML document", file)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func checkFormat(file string, format int) error {
	switch {
	case format < 1:
		return fmt.Errorf("%s: no format number, so it is not a run's file", file)
	case format > Format:
		return fmt.Errorf("%s: format %d is newer than %d, the newest that this program knows; update exp", file, format, Format)
	}
	return nil
}

// namePattern has no {0,99}: counted repetition makes every start of the program slower.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

func (c *Config) check() error {
	switch {
	case !namePattern.MatchString(c.Name) || len(c.Name) > 100:
		return fmt.Errorf("name %q: want letters, digits and . _ + -, at most 100", c.Name)
	case !isHex(c.Digest, 64):
		return fmt.Errorf("digest %q is not a SHA-256", c.Digest)
	case !isHex(c.Lineage, 64):
		return fmt.Errorf("lineage %q is not a SHA-256", c.Lineage)
	case c.ID != c.Digest[:idDigits]:
		return fmt.Errorf("id %q is not the beginning of the digest", c.ID)
	case c.Table != "" && !isHex(c.Table, 64):
		return fmt.Errorf("table %q is not a SHA-256", c.Table)
	}
	return nil
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

// Value is one setting, with its value as text in canonical form.
type Value struct{ Key, Value string }

// Values are settings in the order of their declaration.
type Values []Value

// Get returns the value of a key.
func (v Values) Get(key string) (value string, ok bool) {
	for k, value := range v.all {
		if k == key {
			return value, true
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
		for _, text := range []string{s.Key, s.Value} {
			if !utf8.ValidString(text) {
				return nil, fmt.Errorf("setting %s=%q is not UTF-8", s.Key, s.Value)
			}
			x := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
			if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
				x.Style = yaml.DoubleQuotedStyle
			}
			n.Content = append(n.Content, x)
		}
	}
	return n, nil
}

// UnmarshalYAML reads a mapping of scalars as text.
func (v *Values) UnmarshalYAML(n *yaml.Node) error {
	if err := n.Decode(new(map[string]string)); err != nil { // also finds duplicate keys
		return err
	}
	*v = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		*v = append(*v, Value{n.Content[i].Value, n.Content[i+1].Value})
	}
	return nil
}
