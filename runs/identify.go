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

// Identify returns the digest of what changes a run's result: the model, the
// result version, the settings that differ from their defaults and the content
// digests. A content digest stands for the setting of the same key (data,
// vectors), so that a file may be moved or renamed. The experiment's name is a
// label and left out. lineage is the digest without the number of epochs.
func Identify(model string, result int, set *settings.Set, digests map[string]string) (digest, lineage string) {
	facts := []string{"model " + model, "result " + strconv.Itoa(result)}
	names := slices.Sorted(maps.Keys(digests))
	for _, k := range names {
		facts = append(facts, "digest "+k+" "+digests[k])
	}
	return set.Digest(facts, names...), set.Digest(facts, append(names, "epochs")...)
}

// ButSeed is equal for runs that differ by nothing but the seed and what follows from it.
func (c *Config) ButSeed() string {
	var b strings.Builder
	for _, s := range c.Settings {
		if s.Key != "seed" && s.Key != "variant" {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		if k == "vectors" && c.General().Vectors.Vectors == "random" {
			continue // they follow from the seed
		}
		fmt.Fprintf(&b, "digest %q=%q\n", k, c.Digests[k])
	}
	fmt.Fprintf(&b, "model %q\nresult %d\n", c.Model, c.Result)
	return b.String()
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
