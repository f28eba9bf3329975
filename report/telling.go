package report

import (
	"slices"
	"strings"

	"imdbexp/runs"
)

// Telling returns few settings that tell groups of runs apart, each group of one
// setting: one alone if there is such a setting, else one after the other as long as
// each helps; none when some groups differ in no setting at all.
func Telling(groups [][]*runs.Run) []string {
	results := make([][]*Result, len(groups))
	for i, g := range groups {
		results[i] = []*Result{{Config: g[0].Config}}
	}
	return TellApart(results)
}

// TellApart returns few keys that tell the groups apart: one alone if there is such
// a key, else one after the other as long as each helps; nil when some groups
// differ in no key at all. Names come before single settings, which follow from
// them.
func TellApart(groups [][]*Result) []string {
	names := []string{"experiment", "model", "optimizer", "variant"}
	keys := slices.Clone(names)
	for _, g := range groups {
		for _, s := range g[0].Config.Settings {
			if s.Key != "seed" && !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
	}
	parts := func(keys ...string) int {
		distinct := map[string]bool{}
		for _, g := range groups {
			distinct[strings.Join(ValuesOf(g[0], keys), "\x00")] = true
		}
		return len(distinct)
	}
	for _, k := range keys {
		if parts(k) == len(groups) {
			return []string{k}
		}
	}
	var out []string
	for _, k := range keys {
		if n := len(out); parts(append(out[:n:n], k)...) > parts(out...) {
			out = append(out, k)
		}
	}
	if parts(out...) < len(groups) {
		return nil
	}
	return out
}

// KeyValue returns what a run has for a key of tables.PivotKeys; "" for a setting that
// its model does not have.
func KeyValue(r *Result, key string) string {
	switch key {
	case "experiment":
		return r.Config.Name
	case "model":
		return r.Config.Model
	case "variant":
		return r.Variant()
	}
	return r.Config.Setting(key)
}

// ValuesOf returns the values of several keys, see KeyValue.
func ValuesOf(r *Result, keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = KeyValue(r, k)
	}
	return out
}
