package report

import (
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/report/page"
	"imdbexp/runs"
)

// Command returns the command that trains these runs again, which differ only in the seed; "" if
// this program does not know their experiment or cannot give all their settings. It names the data
// and not the folders, because the page is for other people's machines.
func Command(list []*runs.Config) string {
	p, words := repeated(list[0])
	if p == nil {
		return ""
	}
	var seeds []uint64
	for _, c := range list {
		seeds = append(seeds, c.Seed())
	}
	if !slices.Equal(seeds, []uint64{1}) { // the default
		words = append(words, "seed="+naming.Seeds(seeds))
	}
	return cli.CommandLine(append([]string{"run"}, words...)...)
}

// repeated returns the plan of a run and its words without the seed, or nil.
func repeated(c *runs.Config) (*plan.Plan, []string) {
	e, err := experiments.Lookup(c.Name)
	if err != nil {
		return nil, nil
	}
	words := naming.Portable(c)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", append(words[1:len(words):len(words)], "seed="+c.Setting("seed")))
	if err != nil {
		return nil, nil
	}
	// The ID has the digests of data and vectors in the place of their names.
	digest, _ := runs.Identify(c.Model, c.Result, p.Set.All(), c.Digests)
	for _, key := range []string{"variant", "data", "vectors"} {
		if s, _ := p.Set.Get(key); s.Value != c.Setting(key) {
			return nil, nil
		}
	}
	if digest != c.Digest || p.Experiment.Model != c.Model {
		return nil, nil
	}
	return p, words
}

// Settings describes the settings of a run that are not at their defaults.
func Settings(c *runs.Config) []page.Setting {
	p, _ := repeated(c)
	var out []page.Setting
	for _, s := range plan.SettingsOf(c) {
		if !s.Changed() && s.From == "default" || s.Key == "data" {
			continue
		}
		r := page.Setting{Key: s.Key, Value: s.Value, Default: s.Default, From: s.From, Help: s.Help}
		if s.From == "default" {
			r.From = "the data" // such as the vectors that go with them
		}
		if p != nil {
			if why := p.Why(s.Key); why != "" {
				r.Help += "; here: " + why
			}
		}
		out = append(out, r)
	}
	return out
}

// claimsCommand returns the command for runs that claims need, which are about IMDB.
func claimsCommand(a *cli.App) func(words ...string) string {
	return func(words ...string) string {
		if words[0] == "run" {
			words = onIMDB(words)
		}
		return a.Command(words...)
	}
}

// onIMDB adds data=imdb to the settings of exp run, and to the run whose attention or weights are used.
func onIMDB(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if strings.HasPrefix(w, "attention.base=") || strings.HasPrefix(w, "init=") {
			out[i] = w + "[data=imdb]"
		}
	}
	first := slices.IndexFunc(out, func(w string) bool { return strings.Contains(w, "=") })
	if first < 0 {
		first = len(out)
	}
	return slices.Insert(out, first, "data=imdb")
}
