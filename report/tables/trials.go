package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Trials are the settings of one experiment, optimizer and variant that never look
// at test, as a search leaves them: there is nothing to stand beside other rows, and
// what tells one from the next is what was searched.
type Trials struct {
	Name, Optimizer, Variant string
	Shared                   []string // key=value that somebody gave and all have
	Keys                     []string // settings in which they differ, in order of declaration
	Cells                    []*Cell  // the best score on the validation split first
}

// trial reports whether the run never looks at test.
func (r *Result) trial() bool {
	return r.Config.Setting("test") == "never" && math.IsNaN(r.Oracle.TestAcc)
}

// trials sorts runs that never look at test.
func trials(list []*Result) []Trials {
	byKind := map[columnGroup][]*Result{}
	for _, r := range list {
		k := columnGroupOf(r)
		byKind[k] = append(byKind[k], r)
	}
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, b columnGroup) int {
		return cmp.Or(a.compare(b.rowGroup), cmp.Compare(a.variant, b.variant))
	})
	var out []Trials
	for _, k := range kinds {
		out = append(out, newTrials(k, byKind[k]))
	}
	return out
}

func newTrials(k columnGroup, list []*Result) Trials {
	t := Trials{Name: k.name, Optimizer: k.optimizer, Variant: k.variant}
	elsewhere := append([]string{"test", "epochs"}, told...) // in the caption, and in a column of its own
	for _, s := range list[0].Config.Settings {
		other := func(r *Result) bool { return r.Config.Setting(s.Key) != s.Value }
		gave := func(r *Result) bool { return slices.Contains(r.Config.Given(), s) }
		switch {
		case slices.Contains(elsewhere, s.Key):
		case slices.ContainsFunc(list, other):
			t.Keys = append(t.Keys, s.Key)
		case slices.ContainsFunc(list, gave):
			t.Shared = append(t.Shared, s.Key+"="+s.Value)
		}
	}
	first := map[string]*Result{}
	for _, g := range grouped(list) {
		var extra []Note
		label := t.label(g[0])
		if first[label] == nil {
			first[label] = g[0]
		} else if len(progressNotes(g[0])) == 0 {
			extra = []Note{{Repeated, "with run " + short(first[label].Config.ID) + ": " + unlike(first[label], g[0])}}
		}
		t.Cells = append(t.Cells, oneSetting(k.variant, g, extra)...)
	}
	slices.SortStableFunc(t.Cells, func(a, b *Cell) int {
		return cmp.Or(-cmp.Compare(a.Stat(validAcc).Mean, b.Stat(validAcc).Mean), cmp.Compare(a.Stat(validLoss).Mean, b.Stat(validLoss).Mean))
	})
	return t
}

func validAcc(n Numbers) float64  { return n.ValidAcc }
func validLoss(n Numbers) float64 { return n.ValidLoss }

// label names a trial by what tells it from the others: "tme9-lstm adam epochs=3 lr=0.01".
func (t *Trials) label(r *Result) string {
	out := []string{t.Name, t.Optimizer, "epochs=" + r.Config.Setting("epochs")}
	for _, k := range t.Keys {
		out = append(out, k+"="+r.Config.Setting(k))
	}
	return strings.Join(out, " ")
}

// table has a line for each trial and a column for each setting in which they differ.
func (t *Trials) table(b *Block, notes *footnotes) *table {
	out := &table{caption: t.caption(), captioned: true, folds: 2, columns: []column{
		{head: "rank"}, {head: "valid acc.", keep: true}, {head: "valid loss"}, {head: "train acc."}, {head: "train loss"}, {head: "epoch"}, {head: "seeds"},
	}}
	for _, k := range t.Keys {
		word := func(c *Cell) bool {
			_, err := strconv.ParseFloat(c.Runs[0].Config.Setting(k), 64)
			return err != nil
		}
		out.columns = append(out.columns, column{head: k, left: slices.ContainsFunc(t.Cells, word)})
	}
	out.columns = append(out.columns, column{head: "run", left: true, traces: true}, column{head: "cite as", left: true, level: 1, cites: true})
	for i, c := range t.Cells {
		mean := func(of func(Numbers) float64, decimals int) entry {
			m := c.Stat(of).Mean
			return entry{text: fixed(m, decimals), faint: math.IsNaN(m)}
		}
		acc := mean(validAcc, 2)
		acc.marks = notes.mark(c.trialNotes())
		line := []entry{{text: fmt.Sprint(i + 1)}, acc, mean(validLoss, 3), {}, {}, {text: c.epochs(func(r *Result) int { return r.Chosen.Epoch })}, {}}
		if !t.validated() { // there is nothing else to go by
			line[3], line[4] = mean(func(n Numbers) float64 { return n.TrainAcc }, 2), mean(func(n Numbers) float64 { return n.TrainLoss }, 3)
		}
		if c.Runs[0].Best() {
			line[5].text += " of " + c.epochs(func(r *Result) int { return r.Done })
		}
		if n := len(c.Runs); n > 1 {
			line[1].more = "± " + percent(c.Stat(validAcc).SD)
			line[6].text = fmt.Sprint(n)
		}
		for _, k := range t.Keys {
			line = append(line, entry{text: cmp.Or(c.Runs[0].Config.Setting(k), none)})
		}
		out.add(append(line, entry{text: c.ids(), faint: true}, b.citations(c))...)
	}
	return out.filled()
}

// caption says what was searched: the settings that all trials share.
func (t *Trials) caption() string {
	text := "Trials, which never look at test"
	if t.validated() {
		text += ", by their score on the validation split"
	}
	text += ": " + t.Name + " " + t.Optimizer
	if t.Variant != "default" {
		text += " " + t.Variant
	}
	if len(t.Shared) > 0 {
		text += " with " + strings.Join(t.Shared, ", ")
	}
	return text
}

// validated reports whether any of the trials has a score on a validation split.
func (t *Trials) validated() bool {
	return slices.ContainsFunc(t.Cells, func(c *Cell) bool { return c.Stat(validAcc).N > 0 })
}

// trialNotes are the cell's notes without those that tell how it is unlike the
// published row, which it does not stand beside.
func (c *Cell) trialNotes() []Note {
	return slices.DeleteFunc(slices.Clone(c.Notes), func(n Note) bool { return n.Kind != Repeated && !n.ofProgress() })
}

// all returns the cells of a block in the order of its tables, each with the label
// of its row.
func (b *Block) all() iter.Seq2[string, *Cell] {
	return func(yield func(string, *Cell) bool) {
		for _, row := range b.Rows {
			for _, v := range b.Variants {
				if c := row.Cells[v]; c != nil && !yield(row.Label(), c) {
					return
				}
			}
		}
		for _, t := range b.Trials {
			for _, c := range t.Cells {
				if !yield(t.label(c.Runs[0]), c) {
					return
				}
			}
		}
	}
}

// Undrawn returns the experiments whose trials have no figures of their own beside
// the report (see Figures), and how many runs these are.
func (r *Report) Undrawn() (names []string, n int) {
	looked := false
	for _, b := range r.Blocks {
		looked = looked || len(b.Rows) > 0
		for _, t := range b.Trials {
			names = add(names, t.Name)
			for _, c := range t.Cells {
				n += len(c.Runs)
			}
		}
	}
	if !looked {
		return nil, 0
	}
	return names, n
}
