package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const ladderKeys = "Accuracies in percent, changes in points with their 95 % intervals over seeds and reviews; ±: standard deviation over (n) seeds; p: adjusted for the rows of each table by Holm's method."

// Text writes both ways of looking at the slips, at most width columns wide (0: as
// wide as they get), in colour or not, and what to type to fill the gaps.
func (l *Ladder) Text(w io.Writer, width int, color bool) error {
	sheets := l.sheets()
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.text(w, width, color); err != nil {
			return err
		}
	}
	if len(l.Train) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s%s\n", wrap("Not run yet, of at least "+strconv.Itoa(LadderSeeds)+" seeds each (--dry-run behind a line shows its runs):", width, ""),
		"  "+strings.Join(l.Train, "\n  "))
	return nil
}

// Markdown writes the same as pipe tables.
func (l *Ladder) Markdown(w io.Writer) error {
	for _, s := range l.sheets() {
		if err := s.markdown(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if len(l.Train) > 0 {
		fmt.Fprintf(w, "Not run yet:\n\n```\n%s\n```\n", strings.Join(l.Train, "\n"))
	}
	return nil
}

func (l *Ladder) sheets() []sheet {
	down := rungSheet(l.Title+": from the original to the default, one slip at a time", "without", l.Down, true)
	alone := rungSheet(l.Title+": each slip alone put back into the default", "with", l.Alone, false)
	alone.keys = ladderKeys
	for _, s := range l.Inert {
		alone.words = append(alone.words, fmt.Sprintf("%s changes nothing here: %s.", s.Name(), s.Inert))
	}
	alone.words = append(alone.words, l.Remarks...)
	return []sheet{down, alone}
}

// rungSheet is the table of one way; cumulative ones begin with where they start.
func rungSheet(title, word string, rungs []Rung, cumulative bool) sheet {
	var notes footnotes
	t := &table{columns: []column{
		{head: word, left: true, keep: true}, {head: "seeds", level: 2}, {head: "accuracy", level: 3}, {head: "change", keep: true},
		{head: "95 % interval", keep: true}, {head: "p", level: 1}, {head: "verdict", left: true},
	}}
	for i, r := range rungs {
		c := r.Comparison
		if c == nil {
			t.add(entry{text: r.Name()}, entry{}, entry{}, entry{text: none, faint: true}, entry{text: none, faint: true}, entry{}, entry{text: "not run yet", faint: true})
			continue
		}
		if cumulative && i == 0 {
			t.add(entry{text: "nothing: " + c.First}, entry{text: fmt.Sprint(c.Seeds[0])}, entry{text: percent(c.Accuracy[0].Mean), more: spread(c.Accuracy[0])},
				entry{}, entry{}, entry{}, entry{})
		}
		t.add(entry{text: r.Name(), marks: notes.mark(c.Notes)}, entry{text: fmt.Sprint(c.Seeds[1])},
			entry{text: percent(c.Accuracy[1].Mean), more: spread(c.Accuracy[1])}, entry{text: signed(c.Difference)},
			entry{text: fromTo(c.Interval.Low, c.Interval.High)}, entry{text: probability(c.Adjusted)}, entry{text: c.verdict()})
	}
	return sheet{title: title, table: t, notes: notes.list}
}

// CSV writes a line a rung: which way it belongs to and its slips, then the fields
// of a comparison.
func (l *Ladder) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(append([]string{"way", "slips"}, comparisonFields...)); err != nil {
		return err
	}
	for _, way := range []struct {
		name  string
		rungs []Rung
	}{{"down", l.Down}, {"alone", l.Alone}} {
		for _, r := range way.rungs {
			fields := make([]string, len(comparisonFields))
			if r.Comparison != nil {
				fields = r.Comparison.fields()
			}
			if err := out.Write(append([]string{way.name, r.Name()}, fields...)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
