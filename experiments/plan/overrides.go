package plan

import (
	"slices"
	"strings"

	"imdbexp/experiments"
)

// Override is a group of settings that one source has changed.
type Override struct {
	From        string   // such as optimizer=sgd, the sample, command line
	Follows     bool     // from another setting: optimizer, variant or data
	Assignments []string // key=value; a seed may have its reason in parentheses
}

// Overrides returns the settings that are not defaults, in the order in which later ones win. A file
// may list all settings: its settings that are at their defaults are omitted.
func (p *Plan) Overrides() []Override {
	var out []Override
	for _, s := range p.Set.All() {
		if s.From == "default" || p.Announced && s.From == fromData || !s.Changed() && p.rank(s.From) == rankFile {
			continue
		}
		i := slices.IndexFunc(out, func(o Override) bool { return o.From == s.From })
		if i < 0 {
			i = len(out)
			out = append(out, Override{From: s.From, Follows: p.Follows(s.Key)})
		}
		text := s.Key + "=" + s.Value
		if why := p.Why(s.Key); s.Key == "seed" && why != "" { // a chosen seed needs its reason at once
			text += " (" + why + ")"
		}
		out[i].Assignments = append(out[i].Assignments, text)
	}
	slices.SortStableFunc(out, func(a, b Override) int { return p.rank(a.From) - p.rank(b.From) })
	return out
}

// Follows reports whether the setting follows from another one: the optimiser, the variant, or the
// data.
func (p *Plan) Follows(key string) bool {
	r := p.rank(p.from(key))
	return r == rankOptimizer || r == rankVariant || r == rankSample
}

// Asked reports whether a file, a group or the command line has set the setting.
func (p *Plan) Asked(key string) bool { return p.rank(p.from(key)) >= rankFile }

// The order in which settings are set; later ones win.
const (
	rankExperiment = iota
	rankOptimizer
	rankVariant
	rankSample
	rankFile // or a group
	rankCommandLine
)

func (p *Plan) rank(from string) int {
	switch from {
	case "default", p.Experiment.Name:
		return rankExperiment
	case "optimizer=" + p.Run.Optimizer.Optimizer:
		return rankOptimizer
	case "variant=" + p.Run.Variant:
		return rankVariant
	case fromSample, fromData:
		return rankSample
	case FromCommandLine:
		return rankCommandLine
	}
	return rankFile
}

// Why returns the reason that the experiment gives for a setting's value, or "".
func (p *Plan) Why(key string) string {
	s, ok := p.Set.Get(key)
	if !ok {
		return ""
	}
	var list []experiments.Diff
	if s.From == fromData {
		return "there are few reviews or words to train on"
	}
	switch e := p.Experiment; p.rank(s.From) {
	case rankExperiment:
		list = e.Settings
	case rankSample:
		list = e.OnSample(p.Run.Optimizer.Optimizer, p.Run.Variant)
		slices.Reverse(list) // a copy; the last one wins
	case rankVariant:
		list, _ = e.Variant(p.Run.Variant, p.Run.Optimizer.Optimizer)
		list = slices.Clone(list)
		slices.Reverse(list) // the settings of the row come last, and win
	case rankOptimizer:
		if row := e.Row(p.Run.Optimizer.Optimizer); row != nil {
			list = row.Settings
		}
	}
	for _, d := range list {
		if strings.HasPrefix(d.Assign, key+"=") {
			return d.Why
		}
	}
	return ""
}
