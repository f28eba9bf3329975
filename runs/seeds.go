package runs

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/settings"
)

// baseKey is the setting that cites the run which another one is held against.
const baseKey = "attention.base"

// Settled returns a run as it is held beside others, while its folder says what it said:
//
//   - A setting that it lacks, for the program did not know it yet, has its default. That is
//     what was done before there was the setting, or the result version would have been
//     raised; the ID says the same, which is made of what differs from the defaults.
//   - In the place of a cited run of the same seed stands what that one's settings are called,
//     such as additive[epochs=4]: runs that each have the base of their own seed are seeds of
//     one setting. A base that is not in the folder of runs stays cited.
func (r *Run) Settled() Config {
	c := r.Config
	c.Settings = nil
	own := make(map[string]string, len(r.Config.Settings))
	for _, s := range r.Config.Settings {
		own[s.Key] = s.Value
	}
	for key, value := range settings.Declared(c.Model) {
		if v, there := own[key]; there {
			value = v
		}
		c.Settings = append(c.Settings, Value{key, value})
		delete(own, key)
	}
	for _, s := range r.Config.Settings { // of a model or a program that this one does not know
		if _, left := own[s.Key]; left {
			c.Settings = append(c.Settings, s)
		}
	}
	for i := range c.Settings {
		if s := &c.Settings[i]; s.Key == baseKey {
			s.Value = r.base(s.Value)
		}
	}
	return c
}

// But is equal for settled runs that differ by nothing but one setting and, if that is the
// seed, by what follows from it.
func (c *Config) But(key string) string {
	var b strings.Builder
	for _, s := range c.Settings {
		if s.Key != key && s.Key != "variant" {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		if k == "vectors" && key == "seed" && c.General().Vectors.Vectors == "random" {
			continue // they follow from the seed
		}
		fmt.Fprintf(&b, "digest %q=%q\n", k, c.Digests[k])
	}
	fmt.Fprintf(&b, "model %q\nresult %d\n", c.Model, c.Result)
	return b.String()
}

// base names the settings of the run that r cites, if that is of its seed.
func (r *Run) base(cites string) string {
	cited, err := ParseCitation(cites)
	if err != nil {
		return cites
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), cited.Name, cited.ID+"*"))
	if err != nil || len(found) != 1 {
		return cites
	}
	base, err := Open(found[0])
	if err != nil || base.Config.Seed() != r.Config.Seed() {
		return cites
	}
	return bracketed(&base.Config)
}

// bracketed names the settings of a run as commands take them.
func bracketed(c *Config) string {
	var given []string
	for _, s := range c.Given() {
		if s.Key != "seed" && s.Key != "data" && s.Key != "data.limit" { // these are its own, too
			given = append(given, s.Key+"="+s.Value)
		}
	}
	if len(given) == 0 {
		return c.Name
	}
	return c.Name + "[" + strings.Join(given, ",") + "]"
}
