package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs"
)

// Blocks groups the runs by their reviews: the full IMDB first, then parts of it, other data from
// the largest on, and the sample last.
func Blocks(results []*report.Result) (out []Block) {
	of := func(r *report.Result) report.Reviews { return report.ReviewsOf(&r.Config) }
	groups := report.GroupBy(results, of)
	rank := func(g []*report.Result) int {
		switch {
		case slices.ContainsFunc(g, full):
			return 0
		case of(g[0]).Name == "imdb":
			return 1
		case of(g[0]).Name == "sample":
			return 3
		}
		return 2
	}
	slices.SortFunc(groups, func(x, y []*report.Result) int {
		a, b := of(x[0]), of(y[0])
		return cmp.Or(rank(x)-rank(y), size(y)-size(x), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Digest, b.Digest))
	})
	titles := map[string]int{}
	for _, list := range groups {
		titles[title(list)]++
	}
	for _, list := range groups {
		tested := report.Filter(list, func(r *report.Result) bool { return !r.Trial() })
		b := Block{Title: title(list), Rows: rows(tested), Trials: trials(report.Filter(list, (*report.Result).Trial))}
		b.compared = slices.ContainsFunc(tested, full) && slices.ContainsFunc(tested, func(r *report.Result) bool { return r.Config.Published != nil })
		addEvaluations(b.Rows)
		b.Variants = variantsOf(tested, b.compared)
		if titles[b.Title] > 1 { // the same title for different reviews
			b.Title += ", data digest " + format.Short(of(list[0]).Digest)
		}
		out = append(out, b)
	}
	return out
}

// title names the reviews of a block by the run with the most training reviews; data.train gives
// other runs fewer.
func title(list []*report.Result) string {
	trained := func(r *report.Result) int { return r.Config.Data.Train.Reviews + r.Config.Data.Valid.Reviews }
	return report.ReviewsTitle(&slices.MaxFunc(list, func(a, b *report.Result) int { return trained(a) - trained(b) }).Config)
}

// size returns the largest number of reviews that one of the runs reads.
func size(list []*report.Result) int {
	n := 0
	for _, r := range list {
		d := r.Config.Data
		n = max(n, d.Train.Reviews+d.Valid.Reviews+d.Test.Reviews)
	}
	return n
}

func full(r *report.Result) bool { return report.FullIMDB(&r.Config) }

// variantsOf returns the variants of the runs; all adds the missing ones of the published table.
func variantsOf(list []*report.Result, all bool) (out []string) {
	found := map[string]bool{}
	for _, r := range list {
		found[r.Variant()] = true
	}
	for _, v := range report.Variants {
		if all || found[v] {
			out = append(out, v)
		}
		delete(found, v)
	}
	return append(out, slices.Sorted(maps.Keys(found))...)
}

// addEvaluations notes in the rows of a block what may have been chosen on the test set: the epoch
// of a run, as the published code does, or one of several settings. Each evaluation is one more
// chance to look good by luck. Seeds are no choice: they are averaged.
func addEvaluations(rows []Row) {
	type looked struct {
		setting, of   string // of is the experiment, its optimizer and variant
		times, tested int
		*Cell
	}
	var list []looked
	for _, row := range rows {
		for _, v := range slices.Sorted(maps.Keys(row.Cells)) {
			if times, tested := row.Cells[v].evaluations(); times > 0 {
				list = append(list, looked{row.Label(), row.Name + " " + row.Optimizer + " " + v, times, tested, row.Cells[v]})
			}
		}
	}
	in := func(times, tested int) string {
		return format.Counted(times, "time") + " in " + format.Counted(tested, "run")
	}
	for _, same := range report.GroupBy(list, func(l looked) string { return l.of }) {
		settings, times, tested := len(report.GroupBy(same, func(l looked) string { return l.setting })), 0, 0
		for _, l := range same {
			times, tested = times+l.times, tested+l.tested
		}
		for _, l := range same {
			if settings > 1 {
				l.note(report.Tested, "%s of %d settings of %s; to take the best setting is to choose on the test set", in(times, tested), settings, l.of)
			}
			if l.Runs[0].ChoosesByTest() {
				l.note(report.Tested, "%s, to choose the epoch", in(l.times, l.tested))
			}
		}
	}
}

// evaluations returns how often the cell's runs were evaluated on the test set, and how many were.
func (c *Cell) evaluations() (times, tested int) {
	for _, r := range c.Runs {
		if n := r.Run.TestEvaluations(); n > 0 {
			times, tested = times+n, tested+1
		}
	}
	return times, tested
}

// Trials are the settings of one experiment, optimizer and variant that are never evaluated on the
// test set, such as the trials of a search. They are listed by the searched settings.
type Trials struct {
	Name, Optimizer, Variant string
	Shared                   []string // key=value that the user set and all trials have
	Keys                     []string // settings that differ between trials, in order of declaration
	Cells                    []*Cell  // the best validation score first

	by runs.Metric // that score
}

// trials sorts runs that are never evaluated on the test set.
func trials(list []*report.Result) []Trials {
	groups := report.GroupBy(list, func(r *report.Result) string { return r.Config.Name + " " + r.Optimizer() + " " + r.Variant() })
	slices.SortStableFunc(groups, func(x, y []*report.Result) int {
		return cmp.Or(report.ByExperiment(x[0], y[0]), cmp.Compare(x[0].Variant(), y[0].Variant()))
	})
	return report.Map(groups, newTrials)
}

func newTrials(list []*report.Result) Trials {
	t := Trials{Name: list[0].Config.Name, Optimizer: list[0].Optimizer(), Variant: list[0].Variant(), by: list[0].Config.ScoredBy(list[0].Chosen)}
	elsewhere := append([]string{"test", "epochs"}, report.ColumnKeys...) // shown in the caption or in other columns
	t.Keys = report.Differing(list, elsewhere...)
	for _, s := range list[0].Config.Settings {
		given := func(r *report.Result) bool { return slices.Contains(r.Config.Given(), s) }
		if !slices.Contains(elsewhere, s.Key) && !slices.Contains(t.Keys, s.Key) && slices.ContainsFunc(list, given) {
			t.Shared = append(t.Shared, s.Key+"="+s.Value)
		}
	}
	first := map[string]*report.Result{}
	for _, g := range report.Grouped(list) {
		label := t.label(g[0])
		if first[label] == nil {
			first[label] = g[0]
		}
		t.Cells = append(t.Cells, oneSetting(g, notAveraged("run "+format.Short(first[label].Config.ID), first[label], g[0]))...)
	}
	slices.SortStableFunc(t.Cells, func(a, b *Cell) int {
		return report.CompareTrials(t.by.Key, func(key string) (x, y float64) { return a.Stat(key).Mean, b.Stat(key).Mean })
	})
	return t
}

// label names a trial by its differing settings: "tme9-lstm adam epochs=3 lr=0.01".
func (t *Trials) label(r *report.Result) string {
	out := []string{t.Name, t.Optimizer, fmt.Sprintf("epochs=%d", r.Config.Epochs())}
	out = append(out, report.Map(t.Keys, func(k string) string { return k + "=" + r.Config.Setting(k) })...)
	return strings.Join(out, " ")
}

// table returns a table with a line for each trial and a column for each differing setting.
func (t *Trials) table(b *Block, notes *render.Footnotes) *term.Table {
	by, head := "valid_acc", "valid acc."
	if t.by.Key == "valid_macro_f1" {
		by, head = t.by.Key, "valid F1"
	}
	acc := render.Numbers(head, 0)
	acc.Keep = true
	out := render.NewTable(t.caption(), render.Numbers("rank", 0), acc, render.Numbers("valid loss", 0), render.Numbers("epoch", 0), render.Numbers("seeds", 0))
	out.Divides = true
	for _, k := range t.Keys {
		word := func(c *Cell) bool {
			_, err := strconv.ParseFloat(c.Runs[0].Config.Setting(k), 64)
			return err != nil
		}
		out.Columns = append(out.Columns, term.Column{Head: k, Right: !slices.ContainsFunc(t.Cells, word)})
	}
	out.Columns = append(out.Columns, term.Column{Head: "run", Optional: 1, Holds: term.IDs}, term.Column{Head: "cite as", Optional: 1, Holds: term.Citations})
	for i, c := range t.Cells {
		acc := number(c.Stat(by).Mean, 2)
		acc.Marks = notes.Mark(c.TrialNotes())
		line := []term.Cell{{Text: fmt.Sprint(i + 1)}, acc, number(c.Stat("valid_loss").Mean, 3), {Text: c.epochs(func(r *report.Result) int { return r.Chosen.Epoch })}, {}}
		if c.Runs[0].Best() {
			line[3].Text += " of " + c.epochs(func(r *report.Result) int { return r.Done })
		}
		if n := len(c.Runs); n > 1 {
			line[1].More = "± " + format.Fixed(c.Stat(by).SD, 2)
			line[4].Text = fmt.Sprint(n)
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
	text := "Trials, never evaluated on the test set, by their validation score: " + t.Name + " " + t.Optimizer
	if t.Variant != "default" {
		text += " " + t.Variant
	}
	if len(t.Shared) > 0 {
		text += " with " + strings.Join(t.Shared, ", ")
	}
	return text
}

// TrialNotes returns the cell's notes, except those on the published row.
func (c *Cell) TrialNotes() []report.Note {
	return report.Filter(c.Notes, func(n report.Note) bool {
		return n.Kind == report.Repeated || n.Kind == report.Unlearned || n.OfProgress() || n.Own()
	})
}
