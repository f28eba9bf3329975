package progress

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/internal/term"
)

// DataLine returns the data of the plans, with the reasons.
func DataLine(plans []*plan.Plan, auto plan.Auto) string {
	var parts []string
	for _, p := range plans {
		s, _ := p.Set.Get("data")
		why := auto.Why
		switch {
		case s.From != "default":
			why = "by " + s.From
		case s.Value != auto.Data:
			why = "built in"
		}
		if part := fmt.Sprintf("%s (%s)", s.Value, why); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "data: " + strings.Join(parts, "; ")
}

// Overrides prints the settings that are not at their defaults, with their sources.
func Overrides(io *term.IO, p *plan.Plan) {
	for _, o := range p.Overrides() {
		io.Say(o.From+": "+strings.Join(o.Assignments, " "), "  ", "    ")
	}
}
