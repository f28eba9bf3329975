package main

import (
	"slices"
	"strconv"
	"strings"

	"imdbexp/experiments"
	"imdbexp/report"
	"imdbexp/runs"
)

// repeatCommand returns the shortest line that trains these runs again; they
// differ by nothing but the seed. It returns "" where this program does not know
// their experiment, or has no words that give all their settings.
func repeatCommand(list []*runs.Config) string {
	p, words := repeated(list[0])
	if p == nil {
		return ""
	}
	seeds := seedWord(list)
	if seeds != "" {
		words = append(words, seeds)
	}
	line := "exp run " + quoted(list[0].Name)
	for _, w := range words {
		line += " " + quoted(w)
	}
	return line
}

// repeated returns the plan that is the run again and the words that make it,
// without its seed; nil where there are none. The data is always among them:
// without, the words would mean what is installed.
func repeated(c *runs.Config) (*experiments.Plan, []string) {
	e, err := experiments.Lookup(c.Name)
	if err != nil {
		return nil, nil
	}
	base := experiments.Base{Experiment: e}
	bare, err := experiments.NewPlan(base, "sample", nil)
	if err != nil {
		return nil, nil
	}
	plan := func(words []string) *experiments.Plan {
		p, err := experiments.NewPlan(base, "sample", append(slices.Clone(words), "seed="+c.Setting("seed")))
		if err != nil || !repeats(p, c) {
			return nil
		}
		return p
	}
	var words []string
	for _, s := range c.Settings {
		if _, known := bare.Set.Get(s.Key); known && s.Key != "seed" {
			words = append(words, s.Key+"="+s.Value)
		}
	}
	p := plan(words)
	if p == nil {
		return nil, nil
	}
	// Leave out what goes without saying, from behind: variant and optimizer stand
	// before the settings that they bring with them. One word may keep another.
	for before := -1; before != len(words); {
		before = len(words)
		for i := len(words) - 1; i >= 0; i-- {
			if strings.HasPrefix(words[i], "data=") {
				continue
			}
			fewer := slices.Delete(slices.Clone(words), i, i+1)
			if q := plan(fewer); q != nil {
				p, words = q, fewer
			}
		}
	}
	return p, words
}

// repeats reports whether a plan is a run again. Its ID tells, which has the
// content digests of data and vectors in place of their names.
func repeats(p *experiments.Plan, c *runs.Config) bool {
	digest, _ := runs.Identify(c.Model, c.Result, p.Set, c.Digests)
	same := digest == c.Digest && p.Experiment.Model == c.Model
	for _, key := range []string{"variant", "data", "vectors"} {
		s, _ := p.Set.Get(key)
		same = same && s.Value == c.Setting(key)
	}
	return same
}

// seedWord returns seed=… for all these runs, "" where it is only the default.
func seedWord(list []*runs.Config) string {
	var seeds []string
	rising := true
	for i, c := range list {
		seeds = append(seeds, c.Setting("seed"))
		rising = rising && c.Seed() == list[0].Seed()+uint64(i)
	}
	switch {
	case len(seeds) == 1 && seeds[0] == "1":
		return ""
	case len(seeds) > 2 && rising:
		return "seed=" + seeds[0] + ".." + strconv.FormatUint(list[len(list)-1].Seed(), 10)
	}
	return "seed=" + strings.Join(seeds, ",")
}

// explained says what is known about the settings of a run that are not at their
// defaults.
func explained(c *runs.Config) []report.Setting {
	p, _ := repeated(c)
	var out []report.Setting
	for _, s := range known(c) {
		if !s.Changed() && s.From == "default" || s.Key == "data" {
			continue
		}
		r := report.Setting{Key: s.Key, Value: s.Value, Default: s.Default, From: s.From, Help: s.Help}
		if s.From == "default" {
			r.From = "the data" // such as the vectors that go with it
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
