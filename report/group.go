package report

import (
	"cmp"
	"slices"
	"strings"

	"imdbexp/runs"
)

// BySetting parts runs into groups that differ by nothing but the seed, each in
// order of its seeds, the groups in order of their first runs.
func BySetting(list []*runs.Run) [][]*runs.Run {
	results := make([]*Result, len(list))
	for i, r := range list {
		results[i] = &Result{Path: r.Path, Config: r.Config, Finished: r.Status.State == runs.Finished}
	}
	settled(results)
	var keys []string
	groups := map[string][]*runs.Run{}
	for i, r := range list {
		k := settingKey(results[i])
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], r)
	}
	var out [][]*runs.Run
	for _, k := range keys {
		slices.SortStableFunc(groups[k], func(a, b *runs.Run) int { return cmp.Compare(a.Config.Seed(), b.Config.Seed()) })
		out = append(out, groups[k])
	}
	return out
}

// Names names groups of runs for people: the experiment, its optimizer, its variant
// where it is not the default, what the user set, and the ID where two would be
// called the same.
func Names(groups [][]*runs.Run) []string {
	count := map[string]int{}
	out := make([]string, len(groups))
	for i, g := range groups {
		out[i] = settingName(&g[0].Config)
		count[out[i]]++
	}
	for i, g := range groups {
		if count[out[i]] > 1 {
			out[i] += " " + short(g[0].Config.ID)
		}
	}
	return out
}

func settingName(c *runs.Config) string {
	parts := []string{c.Name}
	if o := c.Setting("optimizer"); o != "" {
		parts = append(parts, o)
	}
	if c.Variant != "" && c.Variant != "default" {
		parts = append(parts, c.Variant)
	}
	for _, s := range c.Given() {
		if !slices.Contains(told, s.Key) {
			parts = append(parts, s.Key+"="+s.Value)
		}
	}
	return strings.Join(parts, " ")
}
