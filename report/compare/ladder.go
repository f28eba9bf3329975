package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/report"
)

// LadderSeeds is how many seeds a rung of a ladder wants at least: with fewer, the
// interval is mostly the seeds that were not tried.
const LadderSeeds = 3

// Slip is one departure of the published code: the settings that belong together,
// as the original has them. Of a ladder without an original it is a setting of the
// experiment, as the model has it by itself.
type Slip struct {
	Settings []string // key=value
	Shown    string   // what it is called; "" for its settings
	Inert    string   // why it can change no prediction here; "" when it can
	With     string   // what it cannot be put back without; "" for nothing
}

// Name returns its settings as people type them; key alone where it is switched on.
func (s Slip) Name() string {
	if s.Shown != "" {
		return s.Shown
	}
	var out []string
	for _, a := range s.Settings {
		out = append(out, strings.TrimSuffix(a, "=true"))
	}
	return strings.Join(out, " ")
}

// State is the runs of one setting between the original and the default; its side
// is empty where nothing has been run.
type State struct {
	Out  []Slip // taken out since the state before
	Side Side
}

// LadderPlan says which runs a ladder is made of.
type LadderPlan struct {
	Title string
	From  string // what the variant is called that it begins with; "" for the original
	Built bool   // of an experiment's own settings, from the model without them
	Slips []Slip
	Down  []State  // that variant, then with one slip less each, at last the default
	Alone []State  // the default with that slip put back: one for each slip that counts
	Bases []Side   // what each of Alone is compared with: the default, or that with what the slip needs
	Train []string // commands that would train what is missing

	Remarks []string // what else to say, in sentences
}

// Rung is what one slip, or several where those between have not been run, changes.
type Rung struct {
	Slips      []Slip
	Comparison *Comparison // nil where runs are missing
}

// Name joins the names of its slips, the prefix of all left out.
func (r Rung) Name() string {
	var out []string
	for _, s := range r.Slips {
		out = append(out, strings.ReplaceAll(s.Name(), "slip.", ""))
	}
	name := strings.Join(out, " + ")
	if len(r.Slips) == 1 && r.Slips[0].With != "" {
		name += " (with " + strings.TrimPrefix(r.Slips[0].With, "slip.") + ")"
	}
	return name
}

// Ladder is what the slips of an experiment change in its test accuracy.
type Ladder struct {
	Title string
	From  string   // what it begins with; "" for the original
	Built bool     // of an experiment's own settings, from the model without them
	Down  []Rung   // in order from there to the default
	Alone []Rung   // sorted: the largest change first, what is missing last
	Inert []Slip   // those that can change nothing
	Train []string // commands that would train what is missing

	Remarks []string // what else to say, in sentences
}

// NewLadder compares the states of a plan. P values are adjusted by Holm's method,
// those of the way down and those of the slips alone each for themselves.
func NewLadder(p LadderPlan) (*Ladder, error) {
	l := &Ladder{Title: p.Title, From: p.From, Built: p.Built, Train: p.Train, Remarks: p.Remarks}
	for _, s := range p.Slips {
		if s.Inert != "" {
			l.Inert = append(l.Inert, s)
		}
	}
	if err := l.down(p.Down); err != nil {
		return nil, err
	}
	for i, s := range p.Alone {
		r := Rung{Slips: s.Out}
		if len(s.Side.Answers) > 0 && len(p.Bases[i].Answers) > 0 {
			var err error
			if r.Comparison, err = compare(p.Bases[i], s.Side); err != nil {
				return nil, err
			}
		}
		l.Alone = append(l.Alone, r)
	}
	slices.SortStableFunc(l.Alone, func(a, b Rung) int { return -cmp.Compare(a.size(), b.size()) })
	for _, rungs := range [][]Rung{l.Down, l.Alone} {
		if err := adjustRungs(rungs); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// down compares each state that has been run with the next that has.
func (l *Ladder) down(states []State) error {
	var before *Side
	var out []Slip
	for i := range states {
		s := &states[i]
		out = append(out, s.Out...)
		switch {
		case len(s.Side.Answers) == 0:
			continue
		case before == nil && len(out) > 0: // the original is missing: nothing to begin with
			l.Down = append(l.Down, Rung{Slips: out})
		case before != nil:
			c, err := compare(*before, s.Side)
			if err != nil {
				return err
			}
			l.Down = append(l.Down, Rung{Slips: out, Comparison: c})
		}
		before, out = &s.Side, nil
	}
	if len(out) > 0 {
		l.Down = append(l.Down, Rung{Slips: out})
	}
	return nil
}

// size is that of the change, −1 where there is none.
func (r Rung) size() float64 {
	if r.Comparison == nil {
		return -1
	}
	return math.Abs(r.Comparison.Difference)
}

func adjustRungs(rungs []Rung) error {
	var list []*Comparison
	for _, r := range rungs {
		if c := r.Comparison; c != nil {
			list = append(list, c)
			if n := min(c.Seeds[0], c.Seeds[1]); n < LadderSeeds {
				c.Notes = append(c.Notes, report.Note{Kind: Seeds, Text: fmt.Sprintf("%d of the %d wanted", n, LadderSeeds)})
			}
		}
	}
	return adjust(list)
}

// Empty reports whether nothing can be compared yet.
func (l *Ladder) Empty() bool {
	has := func(r Rung) bool { return r.Comparison != nil }
	return !slices.ContainsFunc(l.Down, has) && !slices.ContainsFunc(l.Alone, has)
}
