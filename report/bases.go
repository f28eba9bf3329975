package report

import (
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/runs"
)

// baseKey is the setting that cites the run which another one is held against.
const baseKey = "attention.base"

// nameBases puts in the place of a cited run of the same seed what its settings are called, such as
// additive[epochs=4]: runs that each have the base of their own seed are seeds of one setting.
// A base that is not in the folder of runs stays cited.
func nameBases(list []*Result) {
	for _, r := range list {
		value, _ := r.Config.Settings.Get(baseKey)
		cited, err := runs.ParseCitation(value)
		if err != nil {
			continue
		}
		found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), cited.Name, cited.ID+"*"))
		if err != nil || len(found) != 1 {
			continue
		}
		base, err := runs.Open(found[0])
		if err != nil || base.Config.Seed() != r.Config.Seed() {
			continue
		}
		r.Config.Settings = slices.Clone(r.Config.Settings) // those of the run's folder stay as they are
		for i := range r.Config.Settings {
			if r.Config.Settings[i].Key == baseKey {
				r.Config.Settings[i].Value = bracketed(&base.Config)
			}
		}
	}
}

// bracketed names the settings of a run as commands take them.
func bracketed(c *runs.Config) string {
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
