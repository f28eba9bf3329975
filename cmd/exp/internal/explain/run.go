package explain

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/number"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/trained"
	"imdbexp/dataset/open"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// explainRun carries out the tests of a run that are not kept from before.
func explainRun(ctx context.Context, a *cli.App, run *runs.Run, o options) (*Explained, error) {
	switch {
	case run.Config.Task() == runs.Pairs:
		return nil, fmt.Errorf("%s translates: the tests are about reviews and their classes", run.Label())
	case run.Config.Counts():
		return nil, fmt.Errorf("%s counts n-grams and explains itself, as a sum over them: %s; the tests are of scores that a network's words are given", run.Label(), a.Command("attend", run.Config.ShortID(), "TEXT"))
	}
	pool := ops.NewPool(a.Workers)
	defer pool.Close()
	_, t, err := trained.Open(a, run.Path)
	if err != nil {
		return nil, err
	}
	m, err := t.Model(pool)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if m.BatchDependent() {
		return nil, fmt.Errorf("%s: with slip.pad what the model says of a review depends on the others of its batch: no word's score is its own", run.Label())
	}
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	c := &run.Config
	reading, stop := progress.Reading(a.IO)
	split, err := m.TestSplit(ctx, dir, c.Data.Name, c.General().Limit, open.Options{Warn: a.Warn, Progress: reading})
	stop()
	if err != nil {
		return nil, err
	}
	a.Warn(infer.DataChanged(c, split.Digest))
	if o.usual && m.Depth() > 0 {
		o.reviews = usualOfLayers
	}
	drawn := split.Draw(o.reviews, o.seed)
	wanted := o.wanted()
	e := &Explained{Run: run.Label(), ID: c.ID, About: a.Names().About(c), Data: c.Data.Name, Epoch: t.Epoch, Reviews: drawn.Len(), Of: split.Len(), Seed: o.seed}
	for _, s := range wanted {
		if why := s.Lacks(m); why != "" {
			e.Lacks = append(e.Lacks, s.Title+": "+why)
			continue
		}
		e.Scores = append(e.Scores, s.Name)
	}
	peers := peersOf(a.Runs, run)
	var s *battery.Subject // made when the first test needs it
	for _, name := range o.tests {
		test, err := battery.Lookup(name)
		if err != nil {
			return nil, err
		}
		k := keeper{dir: o.out, test: test, of: e, digest: split.Digest}
		if test.Peers {
			k.peers = idsOf(peers)
		}
		if test.Slow != "" {
			k.epochs, k.retrained = o.epochsOf(run), o.retrainedScores()
		}
		if r, ok := k.read(); ok {
			e.Results = append(e.Results, r)
			continue
		}
		if s == nil {
			if s, err = battery.NewSubject(ctx, m, drawn, wanted, o.seed); err != nil {
				return nil, err
			}
			defer s.Close()
			s.Label = run.Label()
			s.Peers = openable(a, dir, peers, pool, o)
			s.Marks = func(ctx context.Context) ([][]bool, error) {
				return m.Marked(ctx, dir, c.Data.Name, drawn, open.Options{})
			}
			s.Retrain = func(ctx context.Context) (*battery.Retraining, string, error) {
				return retrainable(ctx, a, run, t, dir, o)
			}
			s.Again = func(untrained *uint64) (*infer.Model, error) {
				_, t, err := trained.Open(a, run.Path)
				if err != nil {
					return nil, err
				}
				if untrained != nil {
					return t.Untrained(pool, *untrained)
				}
				return t.Model(pool)
			}
		}
		r, err := carryOut(ctx, a, test, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.Label(), err)
		}
		if err := k.write(r); err != nil {
			return nil, err
		}
		e.Results = append(e.Results, r)
	}
	return e, nil
}

// carryOut runs a test, with a bar on a terminal.
func carryOut(ctx context.Context, a *cli.App, test *battery.Test, s *battery.Subject) (*battery.Result, error) {
	if a.IO.Terminal() {
		b := progress.NewBar(a.IO)
		defer b.Stop()
		s.Heard = func(what string, done, of int) {
			b.Set(int64(done), int64(of), s.Label+", "+test.Name+": "+what, fmt.Sprintf("%s of %s", number.Thousands(done), number.Reviews(of)))
		}
		defer func() { s.Heard = nil }()
	}
	return test.Run(ctx, s)
}
