package report

import (
	"cmp"
	"slices"

	"imdbexp/runs"
)

// settle gives runs the settings that they do not have because the program did
// not know them yet, at the default that later runs of the same experiment, model
// and result version have. A new setting's default is what was done before it, or
// the result version would have been raised; the ID of a run says the same, which
// is made of what differs from the defaults. So such runs may be averaged.
func settle(configs []*runs.Config) {
	type kind struct {
		name, model string
		behind      int // result versions
	}
	of := map[kind][]*runs.Config{}
	for _, c := range configs {
		k := kind{name: c.Name, model: c.Model, behind: c.Behind()}
		of[k] = append(of[k], c)
	}
	for _, same := range of {
		all := slices.MaxFunc(same, func(a, b *runs.Config) int { return cmp.Compare(len(a.Settings), len(b.Settings)) }).Settings
		usual := defaults(same)
		for _, c := range same {
			if len(c.Settings) == len(all) {
				continue
			}
			place := func(key string) int { return slices.IndexFunc(all, func(s runs.Value) bool { return s.Key == key }) }
			c.Settings = slices.Clone(c.Settings) // those of the run's folder stay as they are
			for _, s := range all {
				_, there := c.Settings.Get(s.Key)
				if value, sure := usual[s.Key]; sure && !there {
					c.Settings = append(c.Settings, runs.Value{Key: s.Key, Value: value})
				}
			}
			slices.SortStableFunc(c.Settings, func(a, b runs.Value) int { return place(a.Key) - place(b.Key) })
		}
	}
}

// defaults returns the values of the settings that all runs agree on which nobody
// set otherwise.
func defaults(list []*runs.Config) map[string]string {
	out, differ := map[string]string{}, map[string]bool{}
	for _, c := range list {
		for _, s := range c.Settings {
			if c.From[s.Key] != "" {
				continue
			}
			if v, there := out[s.Key]; there && v != s.Value {
				differ[s.Key] = true
			}
			out[s.Key] = s.Value
		}
	}
	for k := range differ {
		delete(out, k)
	}
	return out
}

// settled is settle for what runs came to, of which nameBases has named the bases.
func settled(list []*Result) []*Result {
	nameBases(list)
	configs := make([]*runs.Config, len(list))
	for i, r := range list {
		configs[i] = &r.Config
	}
	settle(configs)
	return list
}
