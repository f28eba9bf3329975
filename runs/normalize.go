package runs

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/settings"
)

// Settings that cite a run: the one to which an attention is compared, and the one from whose weights
// training begins.
const (
	baseKey  = "attention.base"
	startKey = "init"
)

// Normalized returns the configuration in the form in which runs are compared:
//
//   - A setting that the run lacks, because it is older than the setting, has its default.
//     That is how runs behaved before, or the result version would have been raised.
//   - A cited run is replaced by its name and settings, such as additive[epochs=4], so that runs
//     with cited runs of different seeds count as seeds of one setting: of attention.base if it has
//     the same seed, of init always, since many runs may start from one. A run that is not in the
//     folder remains a citation.
func (r *Run) Normalized() Config {
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
	for _, s := range r.Config.Settings { // unknown to this version of exp
		if _, left := own[s.Key]; left {
			c.Settings = append(c.Settings, s)
		}
	}
	for i := range c.Settings {
		if s := &c.Settings[i]; s.Key == baseKey || s.Key == startKey {
			s.Value = r.cited(s.Value, s.Key == startKey)
		}
	}
	return c
}

// Without returns a text that is equal for Normalized configurations that differ in nothing
// but one setting and what follows from it.
func (c *Config) Without(key string) string {
	var b strings.Builder
	for _, s := range c.Settings {
		if s.Key != key && s.Key != "variant" {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		if k == "vectors" && key == "seed" && c.General().Vectors.Vectors == "random" {
			continue // random vectors follow from the seed
		}
		fmt.Fprintf(&b, "digest %q=%q\n", k, c.Digests[k])
	}
	fmt.Fprintf(&b, "model %q\nresult %d\n", c.Model, c.Result)
	return b.String()
}

// TestSeedKey is the setting that divides data into train and test again.
const TestSeedKey = "data.test_seed"

// Redrawn reports whether a run's data were divided into train and test again.
func (c *Config) Redrawn() bool { return c.General().TestSeed != 0 }

// WithoutSeeds is Without the seed and, among runs whose data were divided again, the division.
func (c *Config) WithoutSeeds() string {
	if !c.Redrawn() {
		return c.Without("seed")
	}
	d := *c
	d.Settings = slices.Clone(c.Settings)
	for i, s := range d.Settings {
		if s.Key == TestSeedKey {
			d.Settings[i] = Value{"redrawn", "true"}
		}
	}
	if c.General().Vectors.Vectors == "corpus" { // trained on what is in train
		d.Digests = maps.Clone(c.Digests)
		delete(d.Digests, "vectors")
	}
	return d.Without("seed")
}

// cited returns the name and settings of the cited run, if it has the seed of r or any seed will do.
func (r *Run) cited(cites string, anySeed bool) string {
	cited, err := ParseCitation(cites)
	if err != nil {
		return cites
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), cited.Name, cited.ID+"*"))
	if err != nil || len(found) != 1 {
		return cites
	}
	base, err := Open(found[0])
	if err != nil || !anySeed && base.Config.Seed() != r.Config.Seed() {
		return cites
	}
	return bracketed(&base.Config)
}

// bracketed returns the run as name[key=value,…].
func bracketed(c *Config) string {
	var given []string
	for _, s := range c.Given() {
		if s.Key != "seed" && s.Key != "data" && s.Key != "data.limit" { // these are settings of r too
			given = append(given, s.Key+"="+s.Value)
		}
	}
	if len(given) == 0 {
		return c.Name
	}
	return c.Name + "[" + strings.Join(given, ",") + "]"
}
