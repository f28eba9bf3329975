package runs

import (
	"path"
	"slices"
)

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
