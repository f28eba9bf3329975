package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
)

// LadderSeeds is the smallest number of seeds for a rung of a ladder: with fewer, the interval is
// mostly uncertainty about seeds.
const LadderSeeds = 3

// Slip is one deviation of the published code from the report: the settings that belong together,
// as the original has them. In a ladder without an original it is a setting of the experiment, at
// the model's default.
type Slip struct {
	Settings []string // key=value
	Shown    string   // its name; "": its settings
	Inert    string   // why it cannot change predictions here; "" if it can
	With     string   // the setting that it needs to be put back; "" for none
}

// Name returns the slip's settings as the user types them, without "=true".
func (s Slip) Name() string {
	if s.Shown != "" {
		return s.Shown
	}
	return strings.Join(report.Map(s.Settings, func(a string) string { return strings.TrimSuffix(a, "=true") }), " ")
}

// State is the runs of one setting between the original and the default. Its side is empty if
// nothing has been run.
type State struct {
	Out  []Slip // removed since the state before
	Side Side
}

// LadderPlan holds the runs of a ladder.
type LadderPlan struct {
	Title   string
	From    string // name of the first variant; "" for the original
	Built   bool   // of an experiment's own settings, from the model without them
	Slips   []Slip
	States  []State  // the first variant, then one slip less in each, and the default at the end
	Single  []State  // the default with one slip put back, for each slip that counts
	Bases   []Side   // the base of each of Single: the default, with the setting that the slip needs
	Train   []string // commands that train missing runs
	Remarks []string // further sentences
}

// Rung is the change by one slip, or by several if states between have not been run.
type Rung struct {
	Slips      []Slip
	Comparison *Comparison // nil if runs are missing
}

// Name joins the names of its slips without their prefix.
func (r Rung) Name() string {
	name := strings.ReplaceAll(strings.Join(report.Map(r.Slips, Slip.Name), " + "), "slip.", "")
	if len(r.Slips) == 1 && r.Slips[0].With != "" {
		name += " (with " + strings.TrimPrefix(r.Slips[0].With, "slip.") + ")"
	}
	return name
}

// Ladder is the changes in test accuracy by the slips of an experiment.
type Ladder struct {
	LadderPlan
	render.View
	Down  []Rung // in order from the first variant to the default
	Alone []Rung // the largest change first, missing ones last
	Inert []Slip // slips that cannot change anything
}

// NewLadder compares the states of a plan. P values are adjusted by Holm's method, separately for
// Down and Alone.
func NewLadder(p LadderPlan) (*Ladder, error) {
	l := &Ladder{LadderPlan: p, Inert: report.Filter(p.Slips, func(s Slip) bool { return s.Inert != "" })}
	var before Side
	var out []Slip // since the state before
	for i, s := range p.States {
		out = append(out, s.Out...)
		c, err := compareRun(before, s.Side)
		switch missing := len(s.Side.Answers) == 0; {
		case err != nil:
			return nil, err
		case len(out) > 0 && (!missing || i == len(p.States)-1): // without a comparison if the original is missing
			l.Down = append(l.Down, Rung{out, c})
			fallthrough
		case !missing:
			before, out = s.Side, nil
		}
	}
	for i, s := range p.Single {
		c, err := compareRun(p.Bases[i], s.Side)
		if err != nil {
			return nil, err
		}
		l.Alone = append(l.Alone, Rung{s.Out, c})
	}
	slices.SortStableFunc(l.Alone, func(a, b Rung) int { return -cmp.Compare(a.size(), b.size()) })
	for _, rungs := range [][]Rung{l.Down, l.Alone} {
		var list []*Comparison
		for _, r := range rungs {
			if c := r.Comparison; c != nil {
				list = append(list, c)
				if n := min(c.Seeds[0], c.Seeds[1]); n < LadderSeeds {
					c.note(Seeds, "%d, fewer than %d", n, LadderSeeds)
				}
			}
		}
		adjust(list)
	}
	l.View = l.view()
	return l, nil
}

// compareRun compares two sides that have been run; nil if one has not.
func compareRun(a, b Side) (*Comparison, error) {
	if len(a.Answers) == 0 || len(b.Answers) == 0 {
		return nil, nil
	}
	return compare(a, b)
}

// size is the size of the change, −1 if it is missing.
func (r Rung) size() float64 {
	if r.Comparison == nil {
		return -1
	}
	return math.Abs(r.Comparison.Difference)
}

// Empty reports whether there is no comparison yet.
func (l *Ladder) Empty() bool {
	return !slices.ContainsFunc(slices.Concat(l.Down, l.Alone), func(r Rung) bool { return r.Comparison != nil })
}

// Text writes both tables, at most width columns wide (0: no limit), in colour or not, and the
// commands that train the missing runs.
func (l *Ladder) Text(w io.Writer, width int, color bool) error {
	if err := l.View.Text(w, width, color); err != nil || len(l.Train) == 0 {
		return err
	}
	text := fmt.Sprintf("Not run yet, at least %d seeds each (--dry-run at the end of a line shows its runs):", LadderSeeds)
	_, err := fmt.Fprintf(w, "\n%s\n\n  %s\n", term.Wrap(text, width, "", ""), strings.Join(l.Train, "\n  "))
	return err
}

// Markdown writes the same as pipe tables.
func (l *Ladder) Markdown(w io.Writer) error {
	if err := l.View.Markdown(w); err != nil || len(l.Train) == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\nNot run yet:\n\n```\n%s\n```\n", strings.Join(l.Train, "\n"))
	return err
}

func (l *Ladder) view() render.View {
	down := rungSection(l.Title+": from the "+cmp.Or(l.From, "original")+" to the default, one slip at a time", "without", l.Down, true)
	alone := rungSection(l.Title+": each slip alone put back into the default", "with", l.Alone, false)
	if l.Built {
		down = rungSection(l.Title+": from "+l.From+", one setting at a time", "with", l.Down, true)
		alone = rungSection(l.Title+": each setting alone left out", "without", l.Alone, false)
	}
	alone.Keys = func([]string) string {
		return "Accuracies in percent, changes in points with their 95 % intervals over seeds and reviews; ±: standard deviation over (n) seeds. " + adjustedKey("the rows of each table")
	}
	inert := report.Map(l.Inert, func(s Slip) string { return fmt.Sprintf("%s changes nothing here: %s.", s.Name(), s.Inert) })
	alone.Words = append(inert, l.Remarks...)
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

// Records returns a record for each rung: its table and slips, then the fields of the comparison.
func (l *Ladder) Records() term.Records {
	names, _ := new(Comparison).fields()
	lines := term.Records{append([]string{"way", "slips"}, names...)}
	for i, rungs := range [][]Rung{l.Down, l.Alone} {
		for _, r := range rungs {
			lines = append(lines, append([]string{[]string{"down", "alone"}[i], r.Name()}, r.Comparison.record()...))
		}
	}
	return lines
}
