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

// idDigits is the length of an ID: 48 bits, so that among a million runs the
// chance of two alike is 1 in 500.
const idDigits = 12

// lengths are the settings in which a run and its extension may differ.
var lengths = []string{"epochs", "test.tail"}

// Identify returns the digest of what changes a run's result: the model, the
// result version, the settings that differ from their defaults and the content
// digests. A content digest stands for the setting of the same key (data,
// vectors), so that a file may be moved or renamed. The experiment's name is a
// label and left out. lineage is the digest without the number of epochs and what is
// counted from their end.
func Identify(model string, result int, set *settings.Set, digests map[string]string) (digest, lineage string) {
	facts, names := factsOf(model, result, digests)
	return set.Digest(facts, names...), set.Digest(facts, append(names, lengths...)...)
}

// factsOf returns what goes into a digest beside settings, and the settings for which
// a content digest stands.
func factsOf(model string, result int, digests map[string]string) (facts, names []string) {
	facts = []string{"model " + model, "result " + strconv.Itoa(result)}
	names = slices.Sorted(maps.Keys(digests))
	for _, k := range names {
		facts = append(facts, "digest "+k+" "+digests[k])
	}
	return facts, names
}

// IdentityError is a configuration that says of itself what cannot be: its ID does not
// follow from its settings, or two of its fields speak of one thing differently.
type IdentityError struct{ What string }

func (e *IdentityError) Error() string {
	return "the run is not what it says: " + e.What + ". It was changed after it was made, or is damaged: put back the file as it was, or train the run again with --force"
}

// Identity checks that the configuration is of one piece, as far as that can be told
// without the data: digest and lineage are computed anew from model, result version,
// settings and content digests, and what stands in it twice must agree. It is an
// IdentityError where they do not. See docs/reliability.md for what that proves.
func (c *Config) Identity() error {
	facts, names := factsOf(c.Model, c.Result, c.Digests)
	given := func(key string) bool { return c.From[key] != "" }
	digest, unknown := settings.DigestKept(c.Digest, c.Model, c.Settings.all, given, facts, names...)
	lineage, _ := settings.DigestKept(c.Lineage, c.Model, c.Settings.all, given, facts, append(names, lengths...)...)
	switch {
	case digest != c.Digest:
		what := fmt.Sprintf("its model, settings, content digests and result version give the ID %s, not %q", digest[:idDigits], c.ID)
		if len(unknown) > 0 {
			what += fmt.Sprintf(" (this program does not know %q: another version of it may)", unknown)
		}
		return &IdentityError{what}
	case lineage != c.Lineage:
		return &IdentityError{fmt.Sprintf("its settings give the lineage %.12s, not %.12q", lineage, c.Lineage)}
	}
	return c.agrees()
}

// agrees compares what the configuration says twice.
func (c *Config) agrees() error {
	for _, f := range []struct{ key, field, value string }{
		{"variant", "variant", c.Variant},
		{"data", "data.name", c.Data.Name},
	} {
		// Older runs, and those of programs that use this package alone, may lack one.
		if s := c.Setting(f.key); s != "" && s != "auto" && f.value != "" && s != f.value {
			return &IdentityError{fmt.Sprintf("%s is %q, and the setting %s is %q", f.field, f.value, f.key, s)}
		}
	}
	for key, from := range c.From {
		by, value, is := strings.Cut(from, "=")
		if s := c.Setting(by); is && slices.Contains([]string{"variant", "optimizer"}, by) && s != "" && s != value {
			return &IdentityError{fmt.Sprintf("%q is said to come from %q, and %s is %q", key, from, by, s)}
		}
	}
	return c.Data.agrees(c.General(), len(c.Classes))
}

// agrees holds the sizes of the splits against the settings that bound them.
func (d *DataFacts) agrees(s *settings.Run, classes int) error {
	train := d.Train.Reviews + d.Valid.Reviews
	most := s.Limit * max(1, classes)
	switch {
	case min(d.Train.Reviews, d.Valid.Reviews, d.Test.Reviews, d.Train.Words, d.Valid.Words, d.Test.Words) < 0:
		return &IdentityError{"it saw less than nothing"}
	case s.Limit > 0 && max(train, d.Test.Reviews) > most:
		return &IdentityError{fmt.Sprintf("it saw %d + %d %s, and data.limit=%d leaves at most %d of each split", train, d.Test.Reviews, d.Unit(), s.Limit, most)}
	}
	return nil
}

// ShortID returns the first 6 digits of the ID, enough to name the run on the
// command line, as its citation does.
func (c *Config) ShortID() string { return c.ID[:min(citedID, len(c.ID))] }

// Given returns the settings that the user gave, on the command line or in a file
// of differences, rather than the experiment, its optimizer or its variant.
func (c *Config) Given() []Value {
	return slices.DeleteFunc(slices.Clone([]Value(c.Settings)), func(s Value) bool {
		from := c.From[s.Key]
		ext := path.Ext(from)
		return from != "command line" && ext != ".yaml" && ext != ".yml"
	})
}
