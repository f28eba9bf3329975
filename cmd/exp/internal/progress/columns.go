package progress

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

type epoch struct {
	runs.Metrics
	timing runs.Timing
	epochs int
	left   string
}

func (e epoch) line() string {
	parts := []string{fmt.Sprintf("epoch %d/%d", e.Epoch, e.epochs)}
	split := func(name string, loss, acc *float64) {
		if loss != nil || acc != nil {
			parts = append(parts, fmt.Sprintf("%s loss %s acc %s %%", name, format.Optional(loss, 4), format.Optional(acc, 2)))
		}
	}
	split("train", e.TrainLoss, e.TrainAcc)
	split("valid", e.ValidLoss, e.ValidAcc)
	split("test", e.TestLoss, e.TestAcc)
	if more := More(&e.Metrics); more != "" {
		parts = append(parts, more)
	}
	if e.TestEntropy != nil {
		parts = append(parts, fmt.Sprintf("entropy train %s test %s nats", format.Optional(e.TrainEntropy, 3), format.Optional(e.TestEntropy, 3)))
	}
	return strings.Join(append(parts, format.SI(e.timing.Words)+" words/s", e.left+" left"), "  ")
}

// More returns the metrics of an epoch that not every run has: exact 60.00 % BLEU 80.00.
func More(m *runs.Metrics) string {
	var out []string
	for _, c := range runs.Columns(*m) {
		text := c.Column + " " + format.Optional(c.Of(m), c.Decimals)
		if c.Unit == "percent" {
			text += " %"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// column is a column of the table on a terminal.
type column struct {
	group, head string
	width       int
	text        func(epoch) string
}

// columnsFor returns the columns that the run has and the width allows, nil if that is too narrow.
func columnsFor(m runs.Metrics, width int) []column {
	cols := []column{{"", "epoch", 7, func(e epoch) string { return fmt.Sprintf("%d/%d", e.Epoch, e.epochs) }}}
	split := func(name string, loss, acc func(epoch) *float64) {
		cols = append(cols,
			column{name, "loss", 8, func(e epoch) string { return format.Optional(loss(e), 4) }},
			column{"", "acc", 7, func(e epoch) string { return format.Optional(acc(e), 2) }})
	}
	split("train", func(e epoch) *float64 { return e.TrainLoss }, func(e epoch) *float64 { return e.TrainAcc })
	if m.ValidAcc != nil {
		split("valid", func(e epoch) *float64 { return e.ValidLoss }, func(e epoch) *float64 { return e.ValidAcc })
	}
	split("test", func(e epoch) *float64 { return e.TestLoss }, func(e epoch) *float64 { return e.TestAcc })
	for _, c := range runs.Columns(m) {
		cols = append(cols, column{"", c.Column, max(7, len(c.Column)+2), func(e epoch) string { return format.Optional(c.Of(&e.Metrics), c.Decimals) }})
	}
	if m.TestEntropy != nil {
		cols = append(cols, column{"", "entropy", 8, func(e epoch) string { return format.Optional(e.TestEntropy, 3) }})
	}
	speed := column{"", "words/s", 9, func(e epoch) string { return format.SI(e.timing.Words) }}
	left := column{"", "left", 8, func(e epoch) string { return e.left }}
	for _, more := range [][]column{{speed, left}, {left}, nil} { // on a narrow terminal the speed goes first
		all, total := slices.Concat(cols, more), 0
		for _, c := range all {
			total += c.width
		}
		if total <= width {
			return all
		}
	}
	return nil
}

// heads returns the two lines above the table.
func heads(cols []column) []string {
	var top, bottom strings.Builder
	for _, c := range cols {
		fmt.Fprintf(&top, "%*s", c.width, c.group)
		fmt.Fprintf(&bottom, "%*s", c.width, c.head)
	}
	return []string{strings.TrimRight(top.String(), " "), bottom.String()}
}

func row(cols []column, e epoch) string {
	var out strings.Builder
	for _, c := range cols {
		fmt.Fprintf(&out, "%*s", c.width, c.text(e))
	}
	return out.String()
}

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

// Overrides prints the settings that are not at their defaults, with their sources. Of several plans it
// prints those that follow from other settings once, with their experiments if others do not have them.
func Overrides(io *term.IO, plans ...*plan.Plan) {
	var lines []string
	names, all := map[string][]string{}, map[string]bool{}
	for _, p := range plans {
		all[p.Experiment.Name] = true
		for _, o := range p.Overrides() {
			line := o.From + ": " + strings.Join(o.Assignments, " ")
			if (o.Follows || len(plans) == 1) && names[line] == nil {
				lines = append(lines, line)
			}
			if !slices.Contains(names[line], p.Experiment.Name) {
				names[line] = append(names[line], p.Experiment.Name)
			}
		}
	}
	for _, line := range lines {
		if n := names[line]; len(n) < len(all) {
			line += " (" + strings.Join(n, ", ") + ")"
		}
		io.Say(line, "  ", "    ")
	}
}
