package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/runs"
)

// Grouped groups runs by their settings, each group in order of divisions of the data and of seeds. Finished groups come first,
// then those of the newest result version, then the longest.
func Grouped(list []*Result) [][]*Result {
	bySetting := map[string][]*Result{}
	for _, r := range list {
		k := SettingKey(r)
		bySetting[k] = append(bySetting[k], r)
	}
	groups := slices.Collect(maps.Values(bySetting))
	for _, g := range groups {
		bySeed(g)
	}
	slices.SortFunc(groups, func(a, b []*Result) int {
		x, y := a[0], b[0]
		return cmp.Or(Further(x, y), cmp.Compare(x.Config.ID, y.Config.ID), cmp.Compare(x.Path, y.Path))
	})
	return groups
}

// bySeed orders runs of one setting by division of the data and seed, then by ID and path.
func bySeed(list []*Result) {
	slices.SortFunc(list, func(a, b *Result) int {
		return cmp.Or(cmp.Compare(a.Config.General().TestSeed, b.Config.General().TestSeed), cmp.Compare(a.Config.Seed(), b.Config.Seed()),
			cmp.Compare(a.Config.ID, b.Config.ID), cmp.Compare(a.Path, b.Path))
	})
}

// Further orders runs: finished ones first, then those of the newest result version, then the
// longest.
func Further(a, b *Result) int {
	left := func(r *Result) int {
		if r.Finished {
			return 0
		}
		return 1
	}
	return cmp.Or(left(a)-left(b), cmp.Compare(a.Config.Behind(), b.Config.Behind()), -cmp.Compare(a.Done, b.Done))
}

// SettingKey is equal for runs that may be averaged.
func SettingKey(r *Result) string {
	if !r.Finished {
		return fmt.Sprintf("%sunfinished %q\n", r.Config.WithoutSeeds(), r.Path)
	}
	return r.Config.WithoutSeeds()
}

// BySetting groups runs that differ only in the seeds, each group in order of seeds, the groups in
// order of their first runs.
func BySetting(list []*runs.Run) [][]*runs.Run {
	var keys []string
	groups := map[string][]*runs.Run{}
	for _, r := range list {
		k := SettingKey(&Result{Path: r.Path, Config: r.Normalized(), Finished: r.Status.State == runs.Finished})
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

// Names names groups of runs: the experiment, its optimizer, its variant if it is not the default,
// the settings that the user gave, and the ID if two names would be equal.
func Names(groups [][]*runs.Run) []string {
	count := map[string]int{}
	out := make([]string, len(groups))
	for i, g := range groups {
		c := g[0].Normalized()
		out[i] = SettingName(&c)
		count[out[i]]++
	}
	for i, g := range groups {
		if count[out[i]] > 1 {
			out[i] += " " + format.Short(g[0].Config.ID)
		}
	}
	return out
}

// SettingName returns a readable name of the setting of a run, as Names does.
func SettingName(c *runs.Config) string {
	parts := []string{c.Name, c.Optimizer()}
	if c.Variant != "" && c.Variant != "default" {
		parts = append(parts, c.Variant)
	}
	for _, s := range c.Given() {
		if !slices.Contains(Told, s.Key) {
			parts = append(parts, s.Key+"="+s.Value)
		}
	}
	return strings.Join(parts, " ")
}

// Told lists the settings that tables show in other columns.
var Told = []string{"seed", "variant", "optimizer", "data", "data.limit", runs.TestSeedKey}
