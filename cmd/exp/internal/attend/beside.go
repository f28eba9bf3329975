package attend

import (
	"context"
	"fmt"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// looking is a run that looks at texts.
type looking struct {
	run     *runs.Run
	m       *infer.Model
	weights string // which ones, of which settings
	list    []subject
}

// beside opens the runs of --beside, each with the texts of the first, and lets see have
// them all.
func beside(a *cli.App, first looking, pool *ops.Pool, o options, see func([]looking) error) error {
	all := []looking{first}
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
		other := looking{run: run, m: m, weights: o.weights(run), list: slices.Clone(first.list)}
		for i := range other.list {
			if !slices.Equal(m.Classes, first.m.Classes) {
				other.list[i].Label = dataset.Unlabelled
			}
		}
		all = append(all, other)
	}
	return see(all)
}

// viewTexts shows texts one after another as each run sees them, on the terminal or as a
// page.
func viewTexts(ctx context.Context, io *term.IO, all []looking, o options) error {
	for n, l := range all {
		look, by := o.look, o.by
		if n > 0 { // another run has its own layers, and none if it counts
			look = infer.Look{}
		}
		if l.m.Scorer() != nil {
			by = ""
		}
		for i := range l.list {
			var err error
			if l.list[i].view, err = l.m.View(l.list[i].Text, look); err != nil {
				return fmt.Errorf("%s: %w", l.run.Label(), err)
			}
		}
		if err := showBy(ctx, l.m, l.list, by); err != nil {
			return fmt.Errorf("%s: %w", l.run.Label(), err)
		}
	}
	if o.html != "" {
		return writeTexts(io, all, o)
	}
	for n, l := range all {
		if n > 0 {
			io.Printf("\n")
		}
		io.Say(io.Paint(term.Bold, l.run.Label())+": "+l.weights, "", "  ")
		for _, s := range l.list {
			io.Printf("\n")
			if err := attended(io, l.m, s, o.top); err != nil {
				return err
			}
		}
		legend(io, l.m.Classes, l.list)
	}
	return nil
}
