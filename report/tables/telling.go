package tables

import (
	"maps"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
)

// tellApart returns few keys that tell the groups apart: one alone if there is such
// a key, else one after the other as long as each helps; nil when some groups
// differ in no key at all. Names come before single settings, which follow from
// them.
func tellApart(groups [][]*report.Result) []string {
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
			distinct[strings.Join(valuesOf(g[0], keys), "\x00")] = true
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

// keyValue returns what a run has for a key of PivotKeys; "" for a setting that
// its model does not have.
func keyValue(r *report.Result, key string) string {
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

// valuesOf returns the values of several keys, see keyValue.
func valuesOf(r *report.Result, keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = keyValue(r, k)
	}
	return out
}

// unlike tells in what two runs of the same settings differ.
func unlike(a, b *report.Result) string {
	for _, k := range slices.Sorted(maps.Keys(b.Config.Digests)) {
		if a.Config.Digests[k] != b.Config.Digests[k] {
			return "other " + k + ", digest " + format.Short(b.Config.Digests[k])
		}
	}
	if a.Config.Model != b.Config.Model {
		return "other model, " + b.Config.Model
	}
	return "settings that one of them does not have"
}

// repeatedSeed returns the first seed that is there twice, if any; g is in order of seeds.
func repeatedSeed(g []*report.Result) (uint64, bool) {
	for i := 1; i < len(g); i++ { // ordered by seed
		if s := g[i].Config.Seed(); s == g[i-1].Config.Seed() {
			return s, true
		}
	}
	return 0, false
}
