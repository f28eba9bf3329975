package explain

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset/folder"
	"imdbexp/runs"
)

// peersOf returns the finished runs to compare a run with: its settings with another seed,
// its settings and seed with weights that are not learned, and its adversaries.
func peersOf(dir string, run *runs.Run, open func(ctx context.Context, peer *runs.Run) (*infer.Model, *infer.Split, error)) []battery.Peer {
	cited, err := run.Citation()
	if err != nil {
		return nil
	}
	all, _ := runs.List(dir) // unreadable runs are ignored
	slices.SortStableFunc(all, func(a, b *runs.Run) int {
		lambda := func(r *runs.Run) float64 {
			x, _ := strconv.ParseFloat(r.Config.Setting("attention.lambda"), 64)
			return x
		}
		return cmp.Or(cmp.Compare(lambda(a), lambda(b)), cmp.Compare(a.Config.Seed(), b.Config.Seed()), cmp.Compare(a.Config.Setting("attention"), b.Config.Setting("attention")))
	})
	var out []battery.Peer
	for _, r := range all {
		c := &r.Config
		add := func(kind, title string) {
			out = append(out, battery.Peer{ID: c.ID, Kind: kind, Title: title, Open: func(ctx context.Context) (*infer.Model, *infer.Split, error) { return open(ctx, r) }})
		}
		switch weights := c.Setting("attention"); {
		case r.Status.State != runs.Finished || c.ID == run.Config.ID || c.Digests["data"] != run.Config.Digests["data"]:
		case weights == "adversarial" && c.Setting("attention.base") == cited.String():
			add(battery.PeerAdversary, "adversary, λ = "+c.Setting("attention.lambda"))
		case alike(r, run, "seed"):
			add(battery.PeerSeed, battery.PeerSeed)
		case (weights == "uniform" || weights == "frozen") && alike(r, run, "attention"):
			add(battery.PeerControl, "attention="+weights)
		}
	}
	kinds := []string{battery.PeerSeed, battery.PeerControl, battery.PeerAdversary}
	slices.SortStableFunc(out, func(a, b battery.Peer) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return out
}

// alike reports whether two runs differ only in one setting.
func alike(a, b *runs.Run, but string) bool {
	x, y := a.Normalized(), b.Normalized()
	return x.Setting(but) != y.Setting(but) && x.Without(but) == y.Without(but)
}

// openPeer opens another run's model with the reviews that are asked about.
func (q *asked) openPeer(ctx context.Context, peer *runs.Run) (*infer.Model, *infer.Split, error) {
	m, err := infer.Open(peer, q.pool)
	if err != nil {
		return nil, nil, err
	}
	limit := peer.Config.General().Limit
	if q.o.on != "" {
		limit = 0
	}
	split, err := m.TestSplit(ctx, q.folder, q.data, limit, folder.Options{Warn: q.Warn})
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	return m, split.Draw(q.o.reviews, q.o.seed), nil
}
