package attend

import (
	"context"
	"fmt"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// runView is a run with the texts as its model sees them.
type runView struct {
	run     *runs.Run
	m       *infer.Model
	weights string // the settings and the epoch of the weights shown
	list    []subject
}

// withOthers opens the runs of --beside with the texts of the first run, and calls f with
// all of them.
func withOthers(a *cli.App, first runView, pool *ops.Pool, o options, f func([]runView) error) error {
	all := []runView{first}
	for _, ref := range o.beside {
		run, t, err := modelview.Open(a, ref)
		if err != nil {
			return fmt.Errorf("--beside %s: %w", ref, err)
		}
		m, err := t.Model(pool)
		if err != nil {
			return fmt.Errorf("--beside %s: %w", ref, err)
		}
		defer m.Close()
		o.about, o.file, o.epoch = a.Names().About(&run.Config), run.Path == "", t.Epoch
		other := runView{run: run, m: m, weights: o.weights(run), list: slices.Clone(first.list)}
		for i := range other.list {
			if !slices.Equal(m.Classes, first.m.Classes) {
				other.list[i].Label = dataset.Unlabelled
			}
		}
		all = append(all, other)
	}
	return f(all)
}

// viewTexts shows the texts as each run sees them, on the terminal or as a page.
func viewTexts(ctx context.Context, a *cli.App, all []runView, o options) error {
	for n, l := range all {
		look, by := o.look, o.by
		if n > 0 { // --layer and --head are of the first run
			look = infer.Look{}
		}
		if score, err := scores.Lookup(by); l.m.Scorer() != nil && err == nil && (by == scores.Attention || n > 0 && score.Lacks(l.m) != "") {
			by = ""
		}
		for i := range l.list {
			var err error
			if l.list[i].view, err = l.m.View(l.list[i].Text, look); err != nil {
				return fmt.Errorf("%s: %w", l.run.Label(), err)
			}
		}
		if err := showBy(ctx, l.m, l.list, by, o); err != nil {
			return fmt.Errorf("%s: %w", l.run.Label(), err)
		}
	}
	switch {
	case o.html != "":
		return writeTexts(a.IO, all, o)
	case o.out != "":
		return drawText(a, all, o)
	}
	for n, l := range all {
		if n > 0 {
			a.Printf("\n")
		}
		a.Say(a.Paint(term.Bold, l.run.Label())+": "+l.weights, "", "  ")
		for _, s := range l.list {
			a.Printf("\n")
			if err := printText(a.IO, l.m, s, o.top); err != nil {
				return err
			}
		}
		legend(a.IO, l.m.Classes, l.list)
	}
	return nil
}
