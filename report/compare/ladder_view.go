package compare

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/internal/render"
)

var ladderKeys = "Accuracies in percent, changes in points with their 95 % intervals over seeds and reviews; ±: standard deviation over (n) seeds. " + adjustedKey("the rows of each table")

// Text writes both ways of looking at the slips, at most width columns wide (0: as
// wide as they get), in colour or not, and what to type to fill the gaps.
func (l *Ladder) Text(w io.Writer, width int, color bool) error {
	sheets := l.sheets()
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.Text(w, width, color); err != nil {
			return err
		}
	}
	if len(l.Train) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s%s\n", term.Wrap("Not run yet, of at least "+strconv.Itoa(LadderSeeds)+" seeds each (--dry-run behind a line shows its runs):", width, "", "")+"\n",
		"  "+strings.Join(l.Train, "\n  "))
	return nil
}

// Markdown writes the same as pipe tables.
func (l *Ladder) Markdown(w io.Writer) error {
	for _, s := range l.sheets() {
		if err := s.Markdown(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if len(l.Train) > 0 {
		fmt.Fprintf(w, "Not run yet:\n\n```\n%s\n```\n", strings.Join(l.Train, "\n"))
	}
	return nil
}

func (l *Ladder) sheets() []render.Sheet {
	down := rungSheet(l.Title+": from the "+cmp.Or(l.From, "original")+" to the default, one slip at a time", "without", l.Down, true)
	alone := rungSheet(l.Title+": each slip alone put back into the default", "with", l.Alone, false)
	if l.Built {
		down = rungSheet(l.Title+": from "+l.From+", one setting at a time", "with", l.Down, true)
		alone = rungSheet(l.Title+": each setting alone left out", "without", l.Alone, false)
	}
	alone.Keys = ladderKeys
	for _, s := range l.Inert {
		alone.Words = append(alone.Words, fmt.Sprintf("%s changes nothing here: %s.", s.Name(), s.Inert))
	}
	alone.Words = append(alone.Words, l.Remarks...)
	return []render.Sheet{down, alone}
}

// rungSheet is the table of one way; cumulative ones begin with where they start.
func rungSheet(title, word string, rungs []Rung, cumulative bool) render.Sheet {
	var notes render.Footnotes
	t := &render.Table{Columns: []render.Column{
		{Head: word, Left: true, Keep: true}, {Head: "seeds", Level: 2}, {Head: "accuracy", Level: 3}, {Head: "change", Keep: true},
		{Head: "95 % interval", Keep: true}, {Head: "p", Level: 2}, {Head: adjustedHead, Level: 1}, {Head: "verdict", Left: true},
	}}
	for i, r := range rungs {
		c := r.Comparison
		if c == nil {
			t.Add(render.Entry{Text: r.Name()}, render.Entry{}, render.Entry{}, render.Entry{Text: format.None, Faint: true}, render.Entry{Text: format.None, Faint: true}, render.Entry{}, render.Entry{}, render.Entry{Text: "not run yet", Faint: true})
			continue
		}
		if cumulative && i == 0 {
			t.Add(render.Entry{Text: "nothing: " + c.First}, render.Entry{Text: fmt.Sprint(c.Seeds[0])}, render.Entry{Text: format.Fixed(c.Accuracy[0].Mean, 2), More: spread(c.Accuracy[0])},
				render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{})
		}
		t.Add(render.Entry{Text: r.Name(), Marks: notes.Mark(c.Notes)}, render.Entry{Text: fmt.Sprint(c.Seeds[1])},
			render.Entry{Text: format.Fixed(c.Accuracy[1].Mean, 2), More: spread(c.Accuracy[1])}, render.Entry{Text: format.Signed(c.Difference)},
			render.Entry{Text: format.FromTo(c.Interval.Low, c.Interval.High)}, render.Entry{Text: probability(c.P)}, render.Entry{Text: probability(c.Adjusted)}, render.Entry{Text: c.verdict()})
	}
	return render.Sheet{Title: title, Table: t, Notes: notes.List}
}

// CSV writes a line a rung: which way it belongs to and its slips, then the fields
// of a comparison.
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
