package explain

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/folder"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// peer is another run to compare a run with, and why.
type peer struct {
	run         *runs.Run
	kind, title string
}

// peersOf returns the finished runs to compare a run with: its settings with another seed,
// its settings and seed with weights that are not learned, and its adversaries.
func peersOf(dir string, run *runs.Run) []peer {
	cited, err := run.Citation()
	if err != nil {
		return nil
	}
	all, _ := runs.List(dir) // unreadable runs are ignored
	var out []peer
	for _, r := range all {
		c := &r.Config
		switch weights := c.Setting("attention"); {
		case r.Status.State != runs.Finished || c.ID == run.Config.ID || c.Digests["data"] != run.Config.Digests["data"]:
		case weights == "adversarial" && c.Setting("attention.base") == cited.String():
			out = append(out, peer{r, battery.PeerAdversary, "adversary, λ = " + c.Setting("attention.lambda")})
		case alike(r, run, "seed"):
			out = append(out, peer{r, battery.PeerSeed, battery.PeerSeed})
		case (weights == "uniform" || weights == "frozen") && alike(r, run, "attention"):
			out = append(out, peer{r, battery.PeerControl, "attention=" + weights})
		}
	}
	lambda := func(p peer) float64 {
		x, _ := strconv.ParseFloat(p.run.Config.Setting("attention.lambda"), 64)
		return x
	}
	kinds := []string{battery.PeerSeed, battery.PeerControl, battery.PeerAdversary}
	slices.SortStableFunc(out, func(a, b peer) int {
		return cmp.Or(slices.Index(kinds, a.kind)-slices.Index(kinds, b.kind), cmp.Compare(lambda(a), lambda(b)),
			cmp.Compare(a.run.Config.Seed(), b.run.Config.Seed()), cmp.Compare(a.title, b.title))
	})
	return out
}

// alike reports whether two runs differ only in one setting.
func alike(a, b *runs.Run, but string) bool {
	x, y := a.Normalized(), b.Normalized()
	return x.Setting(but) != y.Setting(but) && x.Without(but) == y.Without(but)
}

// openable converts peers to the form that tests take.
func openable(a *cli.App, dir, data string, list []peer, pool *ops.Pool, o options) (out []battery.Peer) {
	for _, p := range list {
		out = append(out, battery.Peer{Kind: p.kind, Title: p.title, Open: func(ctx context.Context) (*infer.Model, *infer.Split, error) {
			_, t, err := modelview.Open(a, p.run.Path)
			if err != nil {
				return nil, nil, err
			}
			m, err := t.Model(pool)
			if err != nil {
				return nil, nil, err
			}
			limit := p.run.Config.General().Limit
			if o.on != "" {
				limit = 0
			}
			split, err := m.TestSplit(ctx, dir, data, limit, folder.Options{Warn: a.Warn})
			if err != nil {
				m.Close()
				return nil, nil, err
			}
			return m, split.Draw(o.reviews, o.seed), nil
		}})
	}
	return out
}
