package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"imdbexp/internal/yamltext"
)

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
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%s is %d bytes long, more than the %d allowed", file, len(b), maxConfig)
	}
	c := new(Config)
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	err := dec.Decode(c)
	if err != nil { // a newer format may have other fields
		var head struct {
			Format int `yaml:"format"`
		}
		if err := yaml.Unmarshal(b, &head); err != nil {
			return nil, yamltext.Error(file, b, err)
		}
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
		return fmt.Errorf("%s: no format number: it is not a run's file", file)
	case format > Format:
		return fmt.Errorf("%s: format %d is newer than %d, the newest that this program knows; update exp", file, format, Format)
	}
	return nil
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)

func (c *Config) check() error {
	switch {
	case !namePattern.MatchString(c.Name):
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
