package experiments

import (
	"slices"
	"strings"
)

// Override is a group of settings that one source has changed.
type Override struct {
	From        string   // such as optimizer=sgd, the sample, command line
	Assignments []string // key=value
}

// Overrides returns the settings that somebody has set, in the order in which
// later ones win. Of a file, which may list them all, those that are not at their
// defaults count.
func (p *Plan) Overrides() []Override {
	var out []Override
	for _, s := range p.Set.All() {
		if s.From == "default" || !s.Changed() && p.rank(s.From) == rankFile {
			continue
		}
		i := slices.IndexFunc(out, func(o Override) bool { return o.From == s.From })
		if i < 0 {
			i = len(out)
			out = append(out, Override{From: s.From})
		}
		out[i].Assignments = append(out[i].Assignments, s.Key+"="+s.Value)
	}
	slices.SortStableFunc(out, func(a, b Override) int { return p.rank(a.From) - p.rank(b.From) })
	return out
}

func (p *Plan) rank(from string) int {
	switch {
	case from == p.Experiment.Name:
		return 0
	case strings.HasPrefix(from, "optimizer="):
		return 1
	case strings.HasPrefix(from, "variant="):
		return 2
	case from == fromSample:
		return 3
	case from == fromCommandLine:
		return rankFile + 1
	}
	return rankFile
}

// rankFile is the rank of files and groups.
const rankFile = 4

// Why returns the reason that the experiment gives for a setting's value, or "".
func (p *Plan) Why(key string) string {
	s, ok := p.Set.Get(key)
	if !ok {
		return ""
	}
	var list []Diff
	switch e := p.Experiment; {
	case s.From == e.Name:
		list = e.Settings
	case s.From == fromSample:
		list = e.Sample
	case strings.HasPrefix(s.From, "variant="):
		list = e.Original
	case strings.HasPrefix(s.From, "optimizer="):
		if row := e.row(p.Run.Optimizer.Optimizer); row != nil {
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
