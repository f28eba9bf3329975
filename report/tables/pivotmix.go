package report

import (
	"slices"
	"strings"

	"imdbexp/runs"
)

// mixed tells in what runs of one place differ, and what to do about it. Each
// group holds the runs of one setting.
func mixed(groups [][]*Result) string {
	keys := telling(groups)
	if len(keys) == 0 {
		return "runs with " + unlike(groups[0][0], groups[1][0])
	}
	all := slices.Concat(groups...)
	var out []string
	for _, k := range keys {
		var values []string
		for _, g := range groups {
			v := keyValue(g[0], k)
			if v == "" {
				v = "none"
			}
			values = add(values, v)
		}
		slices.SortFunc(values, func(a, b string) int { return compareValues(k, a, b, all) })
		out = append(out, k+" ("+few(values)+")")
	}
	them := "it"
	if len(keys) > 1 {
		them = "them"
	}
	return "runs that differ in " + strings.Join(out, " and ") + "; add " + them + " to the rows or columns, or name the runs to show"
}

// Telling returns few settings that tell groups of runs apart, each group of one
// setting: one alone if there is such a setting, else one after the other as long as
// each helps; none when some groups differ in no setting at all.
func Telling(groups [][]*runs.Run) []string {
	results := make([][]*Result, len(groups))
	for i, g := range groups {
		results[i] = []*Result{{Config: g[0].Config}}
	}
	return telling(results)
}

// telling returns few keys that tell the groups apart: one alone if there is such
// a key, else one after the other as long as each helps; nil when some groups
// differ in no key at all. Names come before single settings, which follow from
// them.
func telling(groups [][]*Result) []string {
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
