package runs

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/settings"
)

// idDigits is the length of an ID: 48 bits, so that the chance of two equal IDs among a
// million runs is 1 in 500.
const idDigits = 12

// lengths are the settings in which a run and one that extends it may differ.
var lengths = []string{"epochs", "test.tail"}

// Identify returns the digest of everything that changes a run's result: the model, the
// result version, the settings that differ from their defaults, and the content digests. A
// content digest replaces the setting of the same key (data, vectors), so that files may be
// moved or renamed. The experiment's name is a label and not included. lineage is the digest
// without the settings epochs and test.tail.
func Identify(model string, result int, set *settings.Set, digests map[string]string) (digest, lineage string) {
	facts, names := factsOf(model, result, digests)
	return set.Digest(facts, names...), set.Digest(facts, append(names, lengths...)...)
}

// factsOf returns the parts of a digest that are not settings, and the settings that a
// content digest replaces.
func factsOf(model string, result int, digests map[string]string) (facts, names []string) {
	facts = []string{"model " + model, "result " + strconv.Itoa(result)}
	names = slices.Sorted(maps.Keys(digests))
	for _, k := range names {
		facts = append(facts, "digest "+k+" "+digests[k])
	}
	return facts, names
}

// IdentityError is a configuration that contradicts itself: its ID does not follow from its
// settings, or two of its fields disagree.
type IdentityError struct{ What string }

func (e *IdentityError) Error() string {
	return "the run's configuration was changed or damaged: " + e.What + "; restore the file, or train the run again with --force"
}

// Identity checks that the configuration is consistent: digest and lineage must follow from
// the model, the result version, the settings and the content digests, and fields that state
// the same fact must agree. Otherwise it returns an IdentityError. See docs/reliability.md
// for what that proves.
func (c *Config) Identity() error {
	facts, names := factsOf(c.Model, c.Result, c.Digests)
	given := func(key string) bool { return c.From[key] != "" }
	digest, unknown := settings.DigestOf(c.Digest, c.Model, c.Settings.all, given, facts, names...)
	lineage, _ := settings.DigestOf(c.Lineage, c.Model, c.Settings.all, given, facts, append(names, lengths...)...)
	switch {
	case digest != c.Digest:
		what := fmt.Sprintf("its model, settings, content digests and result version give the ID %s, not %q", digest[:idDigits], c.ID)
		if len(unknown) > 0 {
			what += fmt.Sprintf(" (this version of exp does not know %q; another one may)", unknown)
		}
		return &IdentityError{what}
	case lineage != c.Lineage:
		return &IdentityError{fmt.Sprintf("its settings give the lineage %.12s, not %.12q", lineage, c.Lineage)}
	}
	return c.agrees()
}

// agrees compares fields that state the same fact.
func (c *Config) agrees() error {
	for _, f := range []struct{ key, field, value string }{
		{"variant", "variant", c.Variant},
		{"data", "data.name", c.Data.Name},
	} {
		// Older runs may lack one.
		if s := c.Setting(f.key); s != "" && s != "auto" && f.value != "" && s != f.value {
			return &IdentityError{fmt.Sprintf("%s is %q, but the setting %s is %q", f.field, f.value, f.key, s)}
		}
	}
	for key, from := range c.From {
		by, value, is := strings.Cut(from, "=")
		if s := c.Setting(by); is && slices.Contains([]string{"variant", "optimizer"}, by) && s != "" && s != value {
			return &IdentityError{fmt.Sprintf("%q comes from %q, but %s is %q", key, from, by, s)}
		}
	}
	return c.Data.agrees(c.General(), len(c.Classes))
}

// agrees checks the sizes of the splits against the settings that limit them.
func (d *DataFacts) agrees(s *settings.Run, classes int) error {
	train := d.Train.Reviews + d.Valid.Reviews
	limit := s.Limit * max(1, classes)
	switch {
	case min(d.Train.Reviews, d.Valid.Reviews, d.Test.Reviews, d.Train.Words, d.Valid.Words, d.Test.Words) < 0:
		return &IdentityError{"a size of its data is negative"}
	case s.Limit > 0 && max(train, d.Test.Reviews) > limit:
		return &IdentityError{fmt.Sprintf("it has %d + %d %s, but data.limit=%d allows at most %d in each split", train, d.Test.Reviews, d.Unit(), s.Limit, limit)}
	}
	return nil
}

// ShortID returns the first 6 digits of the ID, as in citations.
func (c *Config) ShortID() string { return c.ID[:min(citedID, len(c.ID))] }

// Given returns the settings that the user set on the command line or in a YAML file.
func (c *Config) Given() []Value {
	return slices.DeleteFunc(slices.Clone([]Value(c.Settings)), func(s Value) bool {
		from := c.From[s.Key]
		ext := path.Ext(from)
		return from != "command line" && ext != ".yaml" && ext != ".yml"
	})
}
