package explain

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// asked is a run with everything that its tests need.
type asked struct {
	*cli.App
	run    *runs.Run
	o      options
	folder string // of data
	pool   *ops.Pool
	as     *infer.Trained
	model  *infer.Model
	data   string       // whose test set is asked about
	digest string       // of the whole test set
	drawn  *infer.Split // the sampled reviews
	peers  []battery.Peer
}

// explainRun runs the tests of a run whose results are not kept.
func explainRun(ctx context.Context, a *cli.App, run *runs.Run, o options) (*Explained, error) {
	if run.Config.Task() == runs.Pairs {
		return nil, fmt.Errorf("%s translates; the tests are for runs that classify reviews", run.Label())
	}
	pool, closePool := a.Pool(ctx)
	defer closePool()
	t, err := infer.ReadRun(run)
	if err != nil {
		return nil, err
	}
	m, err := t.Model(pool)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if m.BatchDependent() {
		return nil, fmt.Errorf("%s: with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch, so its words have no scores", run.Label())
	}
	q := &asked{App: a, run: run, o: o, pool: pool, as: t, model: m}
	q.peers = peersOf(a.Runs, run, q.openPeer)
	e, err := q.draw(ctx)
	if err != nil {
		return nil, err
	}
	return e, q.test(ctx, e)
}

// draw samples the reviews and returns the facts about the run, without results.
func (q *asked) draw(ctx context.Context) (*Explained, error) {
	var err error
	if q.folder, err = q.Installed(); err != nil {
		return nil, err
	}
	c := &q.run.Config
	reading, _, stop := progress.Watching(q.IO)
	data, limit := c.Data.Name, c.General().Limit
	if q.o.on != "" {
		data, limit = q.o.on, 0
	}
	split, err := q.model.TestSplit(ctx, q.folder, data, limit, folder.Options{Warn: q.Warn, Progress: reading})
	stop()
	if err != nil {
		return nil, err
	}
	switch {
	case q.o.on == "":
		q.Warn(infer.DataChanged(c, split.Digest))
	case !slices.Equal(split.Classes, q.model.Classes):
		return nil, fmt.Errorf("--on %s: its classes are %s, those of %s %s", data, cli.OneOf(split.Classes), q.run.Label(), cli.OneOf(q.model.Classes))
	}
	if p, err := folder.Probe(ctx, q.folder, q.o.on, folder.Options{}); err == nil && c.Digests["probe"] != p.Digest() {
		q.Warn(fmt.Errorf("%s was trained without data.exclude=%s, so it may have read these texts", q.run.Label(), q.o.on))
	}
	if q.o.usual && q.model.Depth() > 0 {
		q.o.reviews = usualOfLayers // of its peers, too
	}
	q.data, q.digest, q.drawn = data, split.Digest, split.Draw(q.o.reviews, q.o.seed)
	e := &Explained{Run: q.run.Label(), ID: c.ID, About: q.Names().About(c), Data: data, Epoch: q.as.Epoch, Reviews: q.drawn.Len(), Of: split.Len(), Seed: q.o.seed}
	for _, s := range q.o.chosen() {
		if why := s.Lacks(q.model); why != "" {
			e.Lacks = append(e.Lacks, s.Title+": "+why)
			continue
		}
		e.Scores = append(e.Scores, s.Name)
	}
	return e, nil
}

// test adds the results of all tests. It does not repeat a test whose result is kept.
func (q *asked) test(ctx context.Context, e *Explained) error {
	var s *battery.Subject // nil until a test needs it
	for _, name := range q.o.tests {
		test := battery.Named(name)
		k := battery.Saved{About: q.about(test, e)}
		if !q.read(&k) {
			if s == nil {
				var err error
				if s, err = q.subject(ctx); err != nil {
					return err
				}
				defer s.Close()
			}
			var err error
			if k.Result, err = runTest(ctx, q.App, test, s); err != nil {
				return fmt.Errorf("%s: %w", q.run.Label(), err)
			}
			if q.o.out != "" {
				if err := k.Write(q.o.out); err != nil {
					return err
				}
			}
		}
		e.Results = append(e.Results, k.Result)
	}
	return nil
}

// about returns everything that the result of a test depends on.
func (q *asked) about(test *battery.Test, e *Explained) battery.About {
	a := battery.About{Run: e.ID, Epoch: e.Epoch, Data: q.digest, Reviews: e.Reviews, Seed: e.Seed, Scores: e.Scores, Test: test.Name, Version: test.Version}
	if test.Peers {
		for _, p := range q.peers {
			a.Peers = append(a.Peers, p.ID)
		}
	}
	if test.Slow != "" {
		a.Epochs, a.Seeds, a.Removed = q.o.epochsOf(q.run), q.o.seeds, q.o.retrainedScores()
	}
	return a
}

// read reads the kept result if it depends on the same things. An unreadable file counts
// as missing.
func (q *asked) read(k *battery.Saved) bool {
	if q.o.out == "" {
		return false
	}
	kept, err := battery.ReadSaved(q.o.out, k.About.Run, k.About.Test)
	if err != nil || !reflect.DeepEqual(kept.About, k.About) {
		return false
	}
	k.Result = kept.Result
	return true
}

// subject prepares the run for the tests.
func (q *asked) subject(ctx context.Context) (*battery.Subject, error) {
	s, err := battery.NewSubject(ctx, q.model, q.drawn, q.o.chosen(), q.o.seed)
	if err != nil {
		return nil, err
	}
	s.Label = q.run.Label()
	s.Peers = q.peers
	s.Marks = func(ctx context.Context) ([][]bool, error) {
		return q.model.Marked(ctx, q.folder, q.data, q.drawn, folder.Options{})
	}
	s.Retrain = func(ctx context.Context) (*battery.Retraining, string, error) {
		return retrainable(ctx, q.App, q.run, q.as, q.folder, q.o)
	}
	s.Untrained = func(seed uint64) (*infer.Model, error) {
		t, err := infer.ReadRun(q.run)
		if err != nil {
			return nil, err
		}
		return t.Untrained(q.pool, seed)
	}
	return s, nil
}

// runTest runs a test, with a progress bar on a terminal.
func runTest(ctx context.Context, a *cli.App, test *battery.Test, s *battery.Subject) (*battery.Result, error) {
	if a.IO.Terminal() {
		b := progress.NewBar(a.IO)
		defer b.Stop()
		s.Heard = func(what string, done, of int) {
			b.Set(int64(done), int64(of), s.Label+", "+test.Name+": "+what, fmt.Sprintf("%s of %s", format.Thousands(done), format.Counted(of, "review")))
		}
		defer func() { s.Heard = nil }()
	}
	return test.Run(ctx, s)
}
