package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/runs"
)

// Figures returns the figures that the runs allow: those of the published report
// by their number, once for each variant, then curves and entropies of every
// other setting. Of several runs that fit, the one on the most comparable data,
// the furthest trained and of the lowest seed is drawn; the caption names it.
func Figures(list []*runs.Run) []Figure {
	var all []*drawing
	version := 0
	for _, run := range list {
		version = max(version, run.Config.Result)
	}
	for _, run := range list {
		all = append(all, &drawing{run: run, Result: read(run, version)})
	}
	slices.SortStableFunc(all, preferred)

	var out []Figure
	drawn := map[string]bool{} // kind and setting
	add := func(d *drawing, kind figureKind, number int) {
		key := fmt.Sprintf("%d\n%s", kind, settingKey(d.Result))
		if number == 0 && drawn[key] {
			return
		}
		if f, ok := d.figure(kind, number); ok {
			drawn[key] = true
			out = append(out, f)
		}
	}
	for _, p := range publishedFigures {
		done := map[string]bool{}
		for _, d := range all {
			fits := d.Config.Name == p.experiment && d.Optimizer() == p.optimizer
			if v := variant(d.Result); fits && !done[v] {
				before := len(out)
				add(d, p.kind, p.number)
				done[v] = len(out) > before
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Figure) int {
		return cmp.Or(a.Number-b.Number, cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(all, func(a, b *drawing) int {
		return cmp.Or(experimentRank(a.Config.Name)-experimentRank(b.Config.Name), cmp.Compare(a.Config.Name, b.Config.Name),
			cmp.Compare(a.Optimizer(), b.Optimizer()), -cmp.Compare(variant(a.Result), variant(b.Result)))
	})
	for _, d := range all {
		add(d, curvesKind, 0)
		add(d, entropiesKind, 0)
	}
	return out
}

// drawing is a run to be drawn.
type drawing struct {
	*Result
	run *runs.Run
}

// preferred orders runs by how well they stand for their setting.
func preferred(a, b *drawing) int {
	return cmp.Or(
		-compareBool(fullIMDB(&a.Config), fullIMDB(&b.Config)),
		cmp.Compare(len(a.Incomparable), len(b.Incomparable)),
		cmp.Compare(len(given(&a.Config)), len(given(&b.Config))),
		-compareBool(a.Finished, b.Finished),
		-cmp.Compare(a.Config.Result, b.Config.Result),
		-cmp.Compare(a.Done, b.Done),
		cmp.Compare(a.Config.Seed(), b.Config.Seed()),
		cmp.Compare(a.Config.ID, b.Config.ID))
}

// figure draws one kind of figure; false when the run has nothing for it.
func (d *drawing) figure(kind figureKind, number int) (Figure, bool) {
	f := Figure{Number: number, Notes: slices.Concat(d.Notes, d.Incomparable)}
	what, ok := "loss and accuracy", false
	switch kind {
	case curvesKind:
		ok = d.curves(&f)
	case entropiesKind:
		what, ok = "entropy of the attention", d.entropies(&f)
	}
	name := fmt.Sprintf("%s-%s-%s", d.Config.Name, d.Optimizer(), variant(d.Result))
	f.Title = fmt.Sprintf("%s, %s, %s: %s", d.Config.Name, strings.Join(d.how(), " "), variant(d.Result), what)
	switch {
	case number > 0:
		f.Name, f.Title = fmt.Sprintf("figure-%02d-%s", number, name), fmt.Sprintf("Figure %d. %s", number, f.Title)
	case kind == curvesKind:
		f.Name = "curves-" + name + "-" + short(d.Config.ID)
	default:
		f.Name = "entropy-" + name + "-" + short(d.Config.ID)
	}
	f.Name = fileName(f.Name)
	f.Caption = fmt.Sprintf("%s · %s · seed %d · %d of %d epochs%s",
		d.run.Label(), title(&d.Config), d.Config.Seed(), d.Done, d.Config.Epochs(), f.Caption)
	for _, n := range d.Notes {
		f.Caption += " · " + n.String()
	}
	return f, ok
}

// how returns the optimizer and what the user set, for the title.
func (d *drawing) how() []string {
	out := []string{d.Optimizer()}
	for _, s := range given(&d.Config) {
		if !slices.Contains(told, s.Key) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return out
}

// fileName keeps a name within a folder on every system.
func fileName(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			continue
		}
		b[i] = '-'
	}
	return string(b)
}
