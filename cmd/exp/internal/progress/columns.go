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

// cell is what is shown of an epoch: a column of a table on a terminal, a part of a line in a pipe.
type cell struct {
	group, head string
	width       int
	text        string // in the column
	part        string // of the line, with the blanks before it
}

// cells returns what is shown of an epoch.
func cells(m *runs.Metrics, speed float64, epochs int, left string) (out []cell) {
	at := fmt.Sprintf("%d/%d", m.Epoch, epochs)
	out = append(out, cell{"", "epoch", 7, at, "epoch " + at})
	split := func(name string, loss, acc *float64) {
		l, a := cell{name, "loss", 8, format.Optional(loss, 4), ""}, cell{"", "acc", 7, format.Optional(acc, 2), ""}
		if loss != nil || acc != nil {
			l.part, a.part = "  "+name+" loss "+l.text, " acc "+a.text+" %"
		}
		out = append(out, l, a)
	}
	split("train", m.TrainLoss, m.TrainAcc)
	if m.ValidAcc != nil {
		split("valid", m.ValidLoss, m.ValidAcc)
	}
	split("test", m.TestLoss, m.TestAcc)
	for i, c := range runs.Columns(*m) {
		text := format.Optional(c.Of(m), c.Decimals)
		out = append(out, cell{"", c.Column, max(7, len(c.Column)+2), text, map[bool]string{true: " "}[i == 0] + " " + more(c, m)})
	}
	if m.TestEntropy != nil {
		text := format.Optional(m.TestEntropy, 3)
		out = append(out, cell{"", "entropy", 8, text, fmt.Sprintf("  entropy train %s test %s nats", format.Optional(m.TrainEntropy, 3), text)})
	}
	words := format.SI(speed)
	return append(out, cell{"", "words/s", 9, words, "  " + words + " words/s"}, cell{"", "left", 8, left, "  " + left + " left"})
}

// More returns the metrics of an epoch that not every run has: exact 60.00 % BLEU 80.00.
func More(m *runs.Metrics) string {
	var out []string
	for _, c := range runs.Columns(*m) {
		out = append(out, more(c, m))
	}
	return strings.Join(out, " ")
}

func more(c runs.Metric, m *runs.Metrics) string {
	return c.Column + " " + format.Optional(c.Of(m), c.Decimals) + map[bool]string{true: " %"}[c.Unit == "percent"]
}

// fitting returns the cells that a width allows, of a narrow terminal without the speed; nil if it is too narrow.
func fitting(all []cell, width int) []cell {
	n := len(all)
	for _, some := range [][]cell{all, slices.Concat(all[:n-2], all[n-1:]), all[:n-2]} {
		total := 0
		for _, c := range some {
			total += c.width
		}
		if total <= width {
			return some
		}
	}
	return nil
}

// joined joins the cells of a line.
func joined(cells []cell, of func(cell) string) string {
	var out strings.Builder
	for _, c := range cells {
		out.WriteString(of(c))
	}
	return strings.TrimRight(out.String(), " ")
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
