package compare

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/internal/render"
)

var ladderKeys = "Accuracies in percent, changes in points with their 95 % intervals over seeds and reviews; ±: standard deviation over (n) seeds. " + adjustedKey("the rows of each table")

// Text writes both tables, at most width columns wide (0: no limit), in colour or not, and the
// commands that train the missing runs.
func (l *Ladder) Text(w io.Writer, width int, color bool) error {
	if err := l.view().Text(w, width, color); err != nil || len(l.Train) == 0 {
		return err
	}
	text := fmt.Sprintf("Not run yet, at least %d seeds each (--dry-run at the end of a line shows its runs):", LadderSeeds)
	_, err := fmt.Fprintf(w, "\n%s\n\n  %s\n", term.Wrap(text, width, "", ""), strings.Join(l.Train, "\n  "))
	return err
}

// Markdown writes the same as pipe tables.
func (l *Ladder) Markdown(w io.Writer) error {
	if err := l.view().Markdown(w); err != nil || len(l.Train) == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\nNot run yet:\n\n```\n%s\n```\n", strings.Join(l.Train, "\n"))
	return err
}

// LaTeX writes the same as tables of booktabs, without the runs that are missing.
func (l *Ladder) LaTeX(w io.Writer) error { return l.view().LaTeX(w) }

func (l *Ladder) view() render.View {
	down := rungSection(l.Title+": from the "+cmp.Or(l.From, "original")+" to the default, one slip at a time", "without", l.Down, true)
	alone := rungSection(l.Title+": each slip alone put back into the default", "with", l.Alone, false)
	if l.Built {
		down = rungSection(l.Title+": from "+l.From+", one setting at a time", "with", l.Down, true)
		alone = rungSection(l.Title+": each setting alone left out", "without", l.Alone, false)
	}
	alone.Keys = func([]string) string { return ladderKeys }
	for _, s := range l.Inert {
		alone.Words = append(alone.Words, fmt.Sprintf("%s changes nothing here: %s.", s.Name(), s.Inert))
	}
	alone.Words = append(alone.Words, l.Remarks...)
	return render.View{Sections: []render.Section{down, alone}}
}

// rungSection is one table of a ladder. A cumulative one begins with the state that it starts from.
func rungSection(title, word string, rungs []Rung, cumulative bool) render.Section {
	var notes render.Footnotes
	t := render.NewTable("", append([]term.Column{{Head: word, Keep: true}}, resultColumns("accuracy")...)...)
	t.Columns[3].Head, t.Columns[4].Keep = "change", true
	for i, r := range rungs {
		c := r.Comparison
		if c == nil {
			none := term.Cell{Text: format.None, Faint: true}
			t.AddCells(term.Cell{Text: r.Name()}, term.Cell{}, term.Cell{}, none, none, term.Cell{}, term.Cell{}, term.Cell{Text: "not run yet", Faint: true})
			continue
		}
		if cumulative && i == 0 {
			t.AddCells(append(append([]term.Cell{{Text: "nothing: " + c.First}}, c.side(0)...), make([]term.Cell, 5)...)...)
		}
		t.AddCells(append([]term.Cell{{Text: r.Name(), Marks: notes.Mark(c.Notes)}}, c.result()...)...)
	}
	return render.Section{Title: title, Tables: []*term.Table{t}, Notes: notes.List}
}

// CSV writes a line for each rung: its table and slips, then the fields of the comparison.
func (l *Ladder) CSV(w io.Writer) error {
	lines := [][]string{append([]string{"way", "slips"}, comparisonFields...)}
	for _, way := range []struct {
		name  string
		rungs []Rung
	}{{"down", l.Down}, {"alone", l.Alone}} {
		for _, r := range way.rungs {
			fields := make([]string, len(comparisonFields))
			if r.Comparison != nil {
				fields = r.Comparison.fields()
			}
			lines = append(lines, append([]string{way.name, r.Name()}, fields...))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
