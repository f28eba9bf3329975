package reproduction

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// configFile is where a run says what it is.
const configFile = "config.yaml"

// described compares what a run says that it is with what its settings come to on the
// data at hand, before anything is trained: the model of its experiment, the classes, how
// much of what it saw, and whether its variant and its name account for its settings.
func (o *Result) described(p *plan.Plan, now *runs.Config) {
	kept := &o.Kept.Config
	type field struct {
		name    string
		of      func(c *runs.Config) string
		ignored bool
	}
	for _, f := range []field{
		{name: "name", of: func(c *runs.Config) string { return c.Name }},
		{name: "model", of: func(c *runs.Config) string { return c.Model }},
		{name: "variant", of: func(c *runs.Config) string { return c.Variant }, ignored: kept.Variant == ""},
		{name: "classes", of: func(c *runs.Config) string { return fmt.Sprintf("%q", c.Classes) }},
		{name: "data.name", of: func(c *runs.Config) string { return c.Data.Name }},
		{name: "data.kind", of: func(c *runs.Config) string { return c.Data.Kind }},
		{name: "data.train", of: func(c *runs.Config) string { return size(c.Data.Train) }},
		{name: "data.valid", of: func(c *runs.Config) string { return size(c.Data.Valid) }},
		{name: "data.test", of: func(c *runs.Config) string { return size(c.Data.Test) }},
	} {
		if a, b := f.of(kept), f.of(now); a != b && !f.ignored {
			o.Difference = &Difference{File: configFile, Field: f.name, Kept: cut(a), Now: cut(b)}
			return
		}
	}
	for _, s := range kept.Settings {
		value, there := now.Settings.Get(s.Key)
		if value != s.Value {
			o.Difference = &Difference{File: configFile, Field: "settings." + s.Key, Kept: cut(s.Value), Now: cut(orNothing(value, there))}
			return
		}
	}
	o.accounted(p)
}

func size(p runs.Part) string {
	text := fmt.Sprintf("%d with %d words", p.Reviews, p.Words)
	if p.Targets > 0 {
		text += fmt.Sprintf(" and %d target words", p.Targets)
	}
	return text
}

// accounted asks of each setting whether the one who is said to have set it says so. A
// variant always has its slips, but for those that somebody set otherwise, and one
// experiment speaks for no other; what the rest of the catalogue said when the run was made
// cannot be known now.
func (o *Result) accounted(p *plan.Plan) {
	kept := &o.Kept.Config
	for _, s := range kept.Settings {
		from := kept.From[s.Key]
		want, by := p.Said(s.Key)
		// Variant and data have been compared, and auto vectors follow from these.
		if s.Value == want || !plan.OfCatalogue(from) || slices.Contains([]string{"variant", "data", "vectors"}, s.Key) {
			continue
		}
		_, other := experiments.Lookup(from)
		if strings.HasPrefix(from, "variant=") || strings.HasPrefix(by, "variant=") || other == nil && from != kept.Name {
			o.Difference = &Difference{File: configFile, Field: "settings." + s.Key, Kept: cut(s.Value) + saidBy(from), Now: cut(want) + saidBy(by)}
			return
		}
		o.leave(configFile, fmt.Sprintf("whether %s=%s%s was the experiment's own: now it says %s%s", s.Key, cut(s.Value), saidBy(from), cut(want), saidBy(by)))
	}
}

func saidBy(from string) string {
	if from == "" {
		from = "default"
	}
	return " (" + from + ")"
}
