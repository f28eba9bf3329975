package tables

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
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

// trials sorts runs that never look at test.
func trials(list []*report.Result) []Trials {
	byKind := map[columnGroup][]*report.Result{}
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

func newTrials(k columnGroup, list []*report.Result) Trials {
	t := Trials{Name: k.name, Optimizer: k.optimizer, Variant: k.variant}
	elsewhere := append([]string{"test", "epochs"}, report.Told...) // in the caption, and in a column of its own
	for _, s := range list[0].Config.Settings {
		other := func(r *report.Result) bool { return r.Config.Setting(s.Key) != s.Value }
		gave := func(r *report.Result) bool { return slices.Contains(r.Config.Given(), s) }
		switch {
		case slices.Contains(elsewhere, s.Key):
		case slices.ContainsFunc(list, other):
			t.Keys = append(t.Keys, s.Key)
		case slices.ContainsFunc(list, gave):
			t.Shared = append(t.Shared, s.Key+"="+s.Value)
		}
	}
	first := map[string]*report.Result{}
	for _, g := range report.Grouped(list) {
		var extra []report.Note
		label := t.label(g[0])
		if first[label] == nil {
			first[label] = g[0]
		} else if len(report.ProgressNotes(g[0])) == 0 {
			extra = []report.Note{{Kind: report.Repeated, Text: "with run " + format.Short(first[label].Config.ID) + ": " + unlike(first[label], g[0])}}
		}
		t.Cells = append(t.Cells, oneSetting(k.variant, g, extra)...)
	}
	slices.SortStableFunc(t.Cells, func(a, b *Cell) int {
		return cmp.Or(-cmp.Compare(a.Stat(report.ValidAcc).Mean, b.Stat(report.ValidAcc).Mean), cmp.Compare(a.Stat(validLoss).Mean, b.Stat(validLoss).Mean))
	})
	return t
}

func validLoss(n report.Numbers) float64 { return n.ValidLoss }

// label names a trial by what tells it from the others: "tme9-lstm adam epochs=3 lr=0.01".
func (t *Trials) label(r *report.Result) string {
	out := []string{t.Name, t.Optimizer, fmt.Sprintf("epochs=%d", r.Config.Epochs())}
	for _, k := range t.Keys {
		out = append(out, k+"="+r.Config.Setting(k))
	}
	return strings.Join(out, " ")
}

// table has a line for each trial and a column for each setting in which they differ.
func (t *Trials) table(b *Block, notes *render.Footnotes) *render.Table {
	out := &render.Table{Caption: t.caption(), Captioned: true, Folds: 2, Columns: []render.Column{
		{Head: "rank"}, {Head: "valid acc.", Keep: true}, {Head: "valid loss"}, {Head: "train acc."}, {Head: "train loss"}, {Head: "epoch"}, {Head: "seeds"},
	}}
	for _, k := range t.Keys {
		word := func(c *Cell) bool {
			_, err := strconv.ParseFloat(c.Runs[0].Config.Setting(k), 64)
			return err != nil
		}
		out.Columns = append(out.Columns, render.Column{Head: k, Left: slices.ContainsFunc(t.Cells, word)})
	}
	out.Columns = append(out.Columns, render.Column{Head: "run", Left: true, Traces: true}, render.Column{Head: "cite as", Left: true, Level: 1, Cites: true})
	for i, c := range t.Cells {
		acc := c.mean(report.ValidAcc, 2)
		acc.Marks = notes.Mark(c.TrialNotes())
		line := []render.Entry{{Text: fmt.Sprint(i + 1)}, acc, c.mean(validLoss, 3), {}, {}, {Text: c.epochs(func(r *report.Result) int { return r.Chosen.Epoch })}, {}}
		if !t.validated() { // there is nothing else to go by
			line[3], line[4] = c.mean(func(n report.Numbers) float64 { return n.TrainAcc }, 2), c.mean(func(n report.Numbers) float64 { return n.TrainLoss }, 3)
		}
		if c.Runs[0].Best() {
			line[5].Text += " of " + c.epochs(func(r *report.Result) int { return r.Done })
		}
		if n := len(c.Runs); n > 1 {
			line[1].More = "± " + format.Fixed(c.Stat(report.ValidAcc).SD, 2)
			line[6].Text = fmt.Sprint(n)
		}
		for _, k := range t.Keys {
			line = append(line, render.Entry{Text: cmp.Or(c.Runs[0].Config.Setting(k), format.None)})
		}
		out.Add(append(line, render.Entry{Text: c.ids(), Faint: true}, b.citations(c))...)
	}
	return out.Filled()
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
	return slices.ContainsFunc(t.Cells, func(c *Cell) bool { return c.Stat(report.ValidAcc).N > 0 })
}

// TrialNotes are the cell's notes without those that tell how it is unlike the
// published row, which it does not stand beside.
func (c *Cell) TrialNotes() []report.Note {
	return slices.DeleteFunc(slices.Clone(c.Notes), func(n report.Note) bool {
		return n.Kind != report.Repeated && n.Kind != report.Unlearned && !n.OfProgress()
	})
}

// All returns the cells of a block in the order of its tables, each with the label
// of its row.
func (b *Block) All() iter.Seq2[string, *Cell] {
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

// results returns the runs of a block in the order of its tables.
func (b *Block) results() []*report.Result {
	var out []*report.Result
	for _, c := range b.All() {
		out = append(out, c.Runs...)
	}
	return out
}

// add appends what is not there yet.
func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
