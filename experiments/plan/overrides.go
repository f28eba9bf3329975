package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/experiments"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// Override is a group of settings that one source has changed.
type Override struct {
	From        string   // such as optimizer=sgd, the sample, command line
	Follows     bool     // from another setting: optimizer, variant or data
	Assignments []string // key=value; a seed may have its reason in parentheses
}

// Overrides returns the settings that are not defaults, in the order in which later ones win. A file
// may list all settings: its settings that are at their defaults are omitted.
func (p *Plan) Overrides() (out []Override) {
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
	s, _ := p.Set.Get(key)
	optimizer, variant := p.Run.Optimizer.Optimizer, p.Run.Variant
	var list []experiments.Diff
	if s.From == fromData {
		return "there are few reviews or words to train on"
	}
	switch e := p.Experiment; p.rank(s.From) {
	case rankExperiment:
		list = e.Settings
	case rankSample:
		list = e.OnSample(optimizer, variant)
	case rankVariant:
		list, _ = e.Variant(variant, optimizer)
	case rankOptimizer:
		if row := e.Row(optimizer); row != nil {
			list = row.Settings
		}
	}
	for _, d := range slices.Backward(list) { // the last one wins
		if strings.HasPrefix(d.Assign, key+"=") {
			return d.Why
		}
	}
	return ""
}

// Idle returns a sentence for each setting of a file or the command line that has no effect in some of
// the plans because of other settings. That is not an error: other runs of a grid may use it.
func Idle(plans []*Plan) (out []string) {
	for _, p := range plans {
		for _, s := range p.Set.All() {
			// A width from the command line for vectors that have a fixed width counts, too: runs of a grid have it in their IDs.
			width := s.Key == "vectors.dim" && p.rank(s.From) == rankCommandLine && p.Run.Vectors.Vectors != folder.GloveName(p.Run.Dim)
			if s.Needs == "" || !s.Changed() && !width || p.rank(s.From) < rankFile {
				continue
			}
			if under, needs, is := p.Set.Idle(s.Key); is {
				text := fmt.Sprintf("%s=%s has no effect under %s: it needs %s", s.Key, s.Value, under, needs)
				if !slices.Contains(out, text) {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// SettingsOf returns the settings of a kept run with their descriptions. A setting that this
// program does not know has none.
func SettingsOf(c *runs.Config) (out []settings.Setting) {
	set := new(settings.Set)
	if info, err := models.Lookup(c.Model); err == nil {
		set, _ = settings.New(&settings.Run{}, info.New())
	}
	for _, v := range c.Settings {
		if !c.Uses(v.Key) {
			continue
		}
		s, known := set.Get(v.Key)
		if !known {
			s = settings.Setting{Key: v.Key, Default: v.Value}
		}
		s.Value, s.From = v.Value, cmp.Or(c.From[v.Key], "default")
		out = append(out, s)
	}
	return out
}

// ModelOf returns the model of a kept run with its settings, or nil if this program does not know
// them.
func ModelOf(c *runs.Config) models.Model {
	p, err := Of(c)
	if err != nil {
		return nil
	}
	return p.Model
}
