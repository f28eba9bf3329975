package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/internal/render"
)

// Text writes a table for each set, at most width columns wide (0: no limit), in colour or not.
func (t *ProbeTable) Text(w io.Writer, width int, color bool) error {
	return t.View().Text(w, width, color)
}

// Markdown writes the same as pipe tables.
func (t *ProbeTable) Markdown(w io.Writer) error { return t.View().Markdown(w) }

// LaTeX writes the same as tables of booktabs.
func (t *ProbeTable) LaTeX(w io.Writer) error { return t.View().LaTeX(w) }

// View returns the tables as sections.
func (t *ProbeTable) View() (v render.View) {
	for rest := t.Rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Set == rest[0].Set {
			n++
		}
		v.Sections = append(v.Sections, t.section(rest[:n]))
		rest = rest[n:]
	}
	return v
}

func (t *ProbeTable) section(rows []*Probed) render.Section {
	var notes render.Footnotes
	table := render.NewTable("", term.Column{Keep: true}, render.Numbers("test", 3), render.Numbers("originals", 0), render.Numbers("rewritten", 0),
		render.Numbers("both right", 1), render.Numbers("drop", 0), render.Numbers("95 % interval", 2))
	if len(rows) > 1 {
		table.Columns = append(table.Columns, render.Numbers("against first", 4), render.Numbers("95 % interval", 5), render.Numbers(adjustedHead, 4))
	}
	for i, x := range rows {
		row := []term.Cell{{Text: x.Name, Marks: notes.Mark(x.notes())}, render.Mean(x.Test, 2), render.Mean(x.Originals, 2), render.Mean(x.Rewritings, 2), render.Mean(x.Both, 2),
			{Text: format.Signed(x.Drop.Difference)}, {Text: format.FromTo(x.Drop.Interval.Low, x.Drop.Interval.High)}}
		if len(rows) > 1 && i > 0 {
			row = append(row, term.Cell{Text: format.Signed(x.Against.Difference)},
				term.Cell{Text: format.FromTo(x.Against.Interval.Low, x.Against.Interval.High)}, term.Cell{Text: probability(x.Adjusted)})
		} else if len(rows) > 1 {
			row = append(row, make([]term.Cell, 3)...)
		}
		table.AddCells(row...)
	}
	keys := "Accuracies in percent, differences in points. Rewritten: texts that people changed so that another label is right. " +
		"Both right: share of pairs. Drop: from originals to rewritten. ±: standard deviation over (n) seeds."
	if len(rows) > 1 {
		keys += fmt.Sprintf(" Against first: rewritten, compared with %s; %s is adjusted for all %d comparisons, intervals are not.", rows[0].Name, adjustedHead, len(t.Rows)-len(t.Rows)/len(rows))
	}
	return render.Section{
		Title: fmt.Sprintf("%s: %s of %s", rows[0].Set, format.Counted(rows[0].Pairs, "pair"), t.Probe),
		Words: conclusion(rows), Tables: []*term.Table{table}, Notes: notes.List, Keys: func([]string) string { return keys },
	}
}

// conclusion says which settings are best and worst on the rewritings.
func conclusion(rows []*Probed) []string {
	if len(rows) < 2 {
		return nil
	}
	order := slices.SortedStableFunc(slices.Values(rows), func(a, b *Probed) int { return cmp.Compare(b.Rewritings.Mean, a.Rewritings.Mean) })
	say := func(x *Probed) string {
		return fmt.Sprintf("%s of the originals and %s of the rewritings", format.Percent(x.Originals.Mean/100), format.Percent(x.Rewritings.Mean/100))
	}
	best, worst := order[0], order[len(order)-1]
	return []string{fmt.Sprintf("%s reads best: it is right on %s. %s reads worst: %s.", best.Name, say(best), worst.Name, say(worst))}
}

// probeFields are the columns of the CSV. New ones are added at the end.
var probeFields = []string{"probe", "set", "setting", "seeds", "pairs", "leaked", "test_acc", "originals_acc", "rewritten_acc", "rewritten_sd", "both_right",
	"drop_points", "drop_low", "drop_high", "drop_p", "against", "difference_points", "low", "high", "p", "p_holm", "runs"}

// Records returns a record for each set and setting.
func (t *ProbeTable) Records() term.Records {
	lines := term.Records{probeFields}
	first := t.Rows[0]
	for _, x := range t.Rows {
		if x.Set != first.Set {
			first = x
		}
		against := make([]string, 6)
		if x != first {
			against = []string{first.Name, format.Exact(x.Against.Difference), format.Exact(x.Against.Interval.Low), format.Exact(x.Against.Interval.High),
				format.Exact(x.Against.P), format.Exact(x.Adjusted)}
		}
		var ids []string
		for _, r := range x.Runs {
			ids = append(ids, r.Config.ID)
		}
		test := ""
		if x.Test.N > 0 {
			test = format.Exact(x.Test.Mean)
		}
		line := []string{t.Probe, x.Set, x.Name, strconv.Itoa(len(x.Runs)), strconv.Itoa(x.Pairs), strconv.FormatBool(x.Leaked), test, format.Exact(x.Originals.Mean),
			format.Exact(x.Rewritings.Mean), format.Exact(x.Rewritings.SD), format.Exact(x.Both.Mean), format.Exact(x.Drop.Difference),
			format.Exact(x.Drop.Interval.Low), format.Exact(x.Drop.Interval.High), format.Exact(x.Drop.P)}
		lines = append(lines, append(append(line, against...), strings.Join(ids, " ")))
	}
	return lines
}
