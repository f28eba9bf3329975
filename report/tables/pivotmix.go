package tables

import (
	"slices"
	"strings"

	"imdbexp/report"
)

// mixed tells in what runs of one place differ, and what to do about it. Each
// group holds the runs of one setting.
func mixed(groups [][]*report.Result) string {
	keys := tellApart(groups)
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
