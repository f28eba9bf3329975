package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
)

// Trials are the settings of one experiment, optimizer and variant that are never evaluated on the
// test set, such as the trials of a search. They are listed by the searched settings.
type Trials struct {
	Name, Optimizer, Variant string
	Shared                   []string // key=value that the user set and all trials have
	Keys                     []string // settings that differ between trials, in order of declaration
	Cells                    []*Cell  // the best validation score first
}

// trials sorts runs that are never evaluated on the test set.
func trials(list []*report.Result) []Trials {
	groups := report.GroupBy(list, columnGroupOf)
	slices.SortFunc(groups, func(x, y []*report.Result) int {
		a, b := columnGroupOf(x[0]), columnGroupOf(y[0])
		return cmp.Or(a.compare(b.rowGroup), cmp.Compare(a.variant, b.variant))
	})
	return report.Each(groups, newTrials)
}

func newTrials(list []*report.Result) Trials {
	k := columnGroupOf(list[0])
	t := Trials{Name: k.name, Optimizer: k.optimizer, Variant: k.variant}
	elsewhere := append([]string{"test", "epochs"}, report.Told...) // shown in the caption or in other columns
	for _, s := range list[0].Config.Settings {
		differs := func(r *report.Result) bool { return r.Config.Setting(s.Key) != s.Value }
		given := func(r *report.Result) bool { return slices.Contains(r.Config.Given(), s) }
		switch {
		case slices.Contains(elsewhere, s.Key):
		case slices.ContainsFunc(list, differs):
			t.Keys = append(t.Keys, s.Key)
		case slices.ContainsFunc(list, given):
			t.Shared = append(t.Shared, s.Key+"="+s.Value)
		}
	}
	first := map[string]*report.Result{}
	for _, g := range report.Grouped(list) {
		label := t.label(g[0])
		if first[label] == nil {
			first[label] = g[0]
		}
		t.Cells = append(t.Cells, oneSetting(k.variant, g, apart("run "+format.Short(first[label].Config.ID), first[label], g[0]))...)
	}
	slices.SortStableFunc(t.Cells, func(a, b *Cell) int {
		return cmp.Or(-cmp.Compare(a.Stat("valid_acc").Mean, b.Stat("valid_acc").Mean), cmp.Compare(a.Stat("valid_loss").Mean, b.Stat("valid_loss").Mean))
	})
	return t
}

// label names a trial by its differing settings: "tme9-lstm adam epochs=3 lr=0.01".
func (t *Trials) label(r *report.Result) string {
	out := []string{t.Name, t.Optimizer, fmt.Sprintf("epochs=%d", r.Config.Epochs())}
	out = append(out, report.Each(t.Keys, func(k string) string { return k + "=" + r.Config.Setting(k) })...)
	return strings.Join(out, " ")
}

// table returns a table with a line for each trial and a column for each differing setting.
func (t *Trials) table(b *Block, notes *render.Footnotes) *term.Table {
	acc := render.Numbers("valid acc.", 0)
	acc.Keep = true
	out := render.NewTable(t.caption(), render.Numbers("rank", 0), acc, render.Numbers("valid loss", 0),
		render.Numbers("train acc.", 0), render.Numbers("train loss", 0), render.Numbers("epoch", 0), render.Numbers("seeds", 0))
	out.Folds = 2
	for _, k := range t.Keys {
		word := func(c *Cell) bool {
			_, err := strconv.ParseFloat(c.Runs[0].Config.Setting(k), 64)
			return err != nil
		}
		out.Columns = append(out.Columns, term.Column{Head: k, Right: !slices.ContainsFunc(t.Cells, word)})
	}
	out.Columns = append(out.Columns, term.Column{Head: "run", Holds: term.IDs}, term.Column{Head: "cite as", Optional: 1, Holds: term.Citations})
	for i, c := range t.Cells {
		acc := number(c.Stat("valid_acc").Mean, 2)
		acc.Marks = notes.Mark(c.TrialNotes())
		line := []term.Cell{{Text: fmt.Sprint(i + 1)}, acc, number(c.Stat("valid_loss").Mean, 3), {}, {},
			{Text: c.epochs(func(r *report.Result) int { return r.Chosen.Epoch })}, {}}
		if !t.validated() { // only the numbers of train are known
			line[3] = number(c.Stat("train_acc").Mean, 2)
			line[4] = number(c.Stat("train_loss").Mean, 3)
		}
		if c.Runs[0].Best() {
			line[5].Text += " of " + c.epochs(func(r *report.Result) int { return r.Done })
		}
		if n := len(c.Runs); n > 1 {
			line[1].More = "± " + format.Fixed(c.Stat("valid_acc").SD, 2)
			line[6].Text = fmt.Sprint(n)
		}
		for _, k := range t.Keys {
			line = append(line, term.Cell{Text: cmp.Or(c.Runs[0].Config.Setting(k), format.None)})
		}
		out.AddCells(append(line, term.Cell{Text: report.IDs(c.Runs), Faint: true}, b.citations(c))...)
	}
	return out.Filled()
}

// caption names the experiment and the settings that all trials share.
func (t *Trials) caption() string {
	text := "Trials, never evaluated on the test set"
	if t.validated() {
		text += ", by their validation score"
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

// validated reports whether any of the trials has a validation score.
func (t *Trials) validated() bool {
	return slices.ContainsFunc(t.Cells, func(c *Cell) bool { return c.Stat("valid_acc").N > 0 })
}

// TrialNotes returns the cell's notes, except those on the published row.
func (c *Cell) TrialNotes() []report.Note {
	return slices.DeleteFunc(slices.Clone(c.Notes), func(n report.Note) bool {
		return n.Kind != report.Repeated && n.Kind != report.Unlearned && !n.OfProgress() && !n.Own()
	})
}
