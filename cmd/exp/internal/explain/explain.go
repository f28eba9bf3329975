// Package explain is exp explain: does attention explain a model's predictions?
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const long = `Test whether attention, or another score of words, explains the predictions of runs'
models. These are the tests of the debate between Jain and Wallace 2019 ("Attention is not
Explanation") and Wiegreffe and Pinter 2019 ("Attention is not not Explanation").

tests
%s
scores of words
%s
By default %d test reviews are sampled, %d for models with layers of self-attention. That
takes about two minutes on IMDB with two cores. A name with several seeds shows their means.
--out DIR also writes a page, and continues there after an interruption.`

type options struct {
	tests, scores []string
	reviews       int
	usual         bool     // --reviews is not given
	epochs, seeds int      // of roar
	removed       []string // scores whose words roar removes
	seed          uint64
	on            string // data set whose test reviews are asked about; "": the run's
	out, format   string
}

// Default numbers of reviews, for about two minutes. With layers of self-attention, leaving
// out each word in turn takes time with the third power of a review's length.
const usualReviews, usualOfLayers = 500, 100

// New returns exp explain.
func New(a *cli.App) *cobra.Command {
	var o options
	ofTests, ofScores := listed()
	cmd := &cobra.Command{
		Use:   "explain RUN…",
		Short: "Test whether attention explains a model's predictions",
		Long:  fmt.Sprintf(long, ofTests, ofScores, usualReviews, usualOfLayers),
		Example: "  exp explain @last\n  exp explain tme9-lstm tme9-simple --out explained\n" +
			"  exp explain tme9-lstm --tests agreement,erasure --reviews 0\n" +
			"  exp explain nbsvm tme9-lstm --tests plausibility --scores lime,shap,random --on minimal",
		ValidArgsFunction: a.CompleteRuns,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a run; @last is the newest")
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.usual, o.removed = !cmd.Flags().Changed("reviews"), o.scores
			if !cmd.Flags().Changed("scores") {
				o.removed = RoarScores
			}
			err := explain(cmd.Context(), a, args, o)
			if o.out != "" && cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
				fmt.Fprintf(a.IO.Err, "exp: interrupted; finished tests are kept in %s, and the same command continues\n", term.Line(o.out))
				return cli.Reported(err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.tests, "tests", usual(), "`LIST` of tests")
	f.StringSliceVar(&o.scores, "scores", usualScores(), "`LIST` of scores to compare")
	f.IntVar(&o.reviews, "reviews", usualReviews, "ask about `N` test reviews, 0 for all")
	f.StringVar(&o.on, "on", "", "ask about the test reviews of this `DATA` instead of the run's own")
	f.IntVar(&o.seeds, "roar-seeds", usualSeeds, "with roar: train `N` times for each number, with different seeds")
	f.IntVar(&o.epochs, "roar-epochs", usualEpochs, "with roar: train for at most `N` epochs; 0 for as many as the run")
	f.Uint64Var(&o.seed, "explain-seed", 1, "seed of the sampled reviews and of the tests")
	f.StringVar(&o.out, "out", "", "also write a page, figures, JSON and CSV into `DIR`, and keep results there")
	cli.FormatFlag(cmd, &o.format, cli.ListFormats)
	cmd.MarkFlagDirname("out")
	a.TitleFlag(cmd)
	cmd.RegisterFlagCompletionFunc("tests", cobra.FixedCompletions(names(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("scores", cobra.FixedCompletions(scores.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *options) check() error {
	for _, t := range o.tests {
		if Named(t) == nil {
			return fmt.Errorf("--tests: unknown test %q%s: use %s", t, settings.Nearest(t, names()), strings.Join(names(), ", "))
		}
	}
	for _, s := range o.scores {
		if _, err := scores.Lookup(s); err != nil {
			return fmt.Errorf("--scores: %w", err)
		}
	}
	switch {
	case o.on != "" && slices.Contains(o.tests, "roar"):
		return errors.New("--on: roar trains again on the run's own data; leave it out")
	case len(o.tests) == 0:
		return errors.New("--tests: name some of " + strings.Join(names(), ", "))
	case o.reviews < 0:
		return fmt.Errorf("--reviews %d: want 0 (all) or more", o.reviews)
	case o.seeds < 1 || o.seeds > 100:
		return fmt.Errorf("--roar-seeds %d: want 1 to 100", o.seeds)
	case o.epochs < 0:
		return fmt.Errorf("--roar-epochs %d: want 0 (the run's own) or more", o.epochs)
	}
	return nil
}

func usualScores() (out []string) {
	for _, s := range scores.All() {
		if !s.Slow {
			out = append(out, s.Name)
		}
	}
	return out
}

// chosen returns the scores of --scores, in display order.
func (o *options) chosen() []*scores.Score {
	return slices.DeleteFunc(slices.Clone(scores.All()), func(s *scores.Score) bool { return !slices.Contains(o.scores, s.Name) })
}

// listed lists the tests and the scores for the help.
func listed() (ofTests, ofScores string) {
	for _, t := range tests {
		source := t.Source
		if t.Slow != "" {
			source += "; not run by default: " + t.Slow
		}
		ofTests += fmt.Sprintf("  %-12s  %s\n", t.Name, source)
	}
	for _, s := range scores.All() {
		ofScores += fmt.Sprintf("  %-12s  %s: %s\n", s.Name, s.Title, s.Source)
	}
	return ofTests, ofScores
}

// Explained holds the results of the tests of a run.
type Explained struct {
	Run     string    `json:"run"` // its label
	ID      string    `json:"id"`
	About   string    `json:"settings"`
	Data    string    `json:"data"`
	Epoch   int       `json:"epoch"`
	Reviews int       `json:"reviews"` // number of sampled reviews
	Of      int       `json:"of"`      // number of test reviews
	Seed    uint64    `json:"seed"`
	Scores  []string  `json:"scores"`
	Lacks   []string  `json:"lacks,omitempty"` // scores that the model does not have, and why
	Results []*Result `json:"results"`

	seeds int // number of seeds that these are means over; 0 for a single run
}

func explain(ctx context.Context, a *cli.App, refs []string, o options) error {
	var list [][]*runs.Run
	for _, ref := range refs {
		group, err := a.RunsOf(ref)
		if err != nil {
			return err
		}
		list = append(list, group)
	}
	out := make([]group, len(list))
	for i, of := range list {
		for _, run := range of {
			e, err := explainRun(ctx, a, run, o)
			if err != nil {
				return err
			}
			out[i] = append(out[i], e)
		}
	}
	if err := show(a, out, o.format); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	return writeFolder(a, out, o.out)
}

// asked is a run with everything that its tests need.
type asked struct {
	*cli.App
	run    *runs.Run
	o      options
	folder string // of data
	pool   *ops.Pool
	as     *infer.Trained
	model  *infer.Model
	digest string       // of the whole test set
	drawn  *infer.Split // the sampled reviews
	peers  []Peer
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
	if o.usual && m.Depth() > 0 {
		o.reviews = usualOfLayers // of its peers, too
	}
	q := &asked{App: a, run: run, o: o, pool: pool, as: t, model: m}
	if q.folder, err = a.Installed(); err != nil {
		return nil, err
	}
	e, err := q.draw(ctx)
	if err != nil {
		return nil, err
	}
	q.peers = peersOf(a.Runs, run, q.openPeer)
	return e, q.test(ctx, e)
}

// data returns the name of the data whose test set is asked about.
func (q *asked) data() string { return cmp.Or(q.o.on, q.run.Config.Data.Name) }

// testSet returns the test set for the model of a run.
func (q *asked) testSet(ctx context.Context, m *infer.Model, run *runs.Run, reading dataset.Progress) (*infer.Split, error) {
	limit := run.Config.General().Limit
	if q.o.on != "" {
		limit = 0
	}
	return m.TestSplit(ctx, q.folder, q.data(), limit, folder.Options{Warn: q.Warn, Progress: reading})
}

// openPeer opens another run's model with the reviews that are asked about.
func (q *asked) openPeer(ctx context.Context, peer *runs.Run) (*infer.Model, *infer.Split, error) {
	m, err := infer.Open(peer, q.pool)
	if err != nil {
		return nil, nil, err
	}
	split, err := q.testSet(ctx, m, peer, nil)
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	return m, split.Draw(q.o.reviews, q.o.seed), nil
}

// draw samples the reviews and returns the facts about the run, without results.
func (q *asked) draw(ctx context.Context) (*Explained, error) {
	c, on := &q.run.Config, q.o.on
	reading, _, stop := progress.Watching(q.IO)
	split, err := q.testSet(ctx, q.model, q.run, reading)
	stop()
	switch {
	case err != nil:
		return nil, err
	case on == "":
		q.Warn(infer.DataChanged(c, split.Digest))
	case !slices.Equal(split.Classes, q.model.Classes):
		return nil, fmt.Errorf("--on %s: its classes are %s, those of %s %s", on, cli.OneOf(split.Classes), q.run.Label(), cli.OneOf(q.model.Classes))
	}
	if p, err := folder.Probe(ctx, q.folder, on, folder.Options{}); err == nil && c.Digests["probe"] != p.Digest() {
		q.Warn(fmt.Errorf("%s was trained without data.exclude=%s, so it may have read these texts", q.run.Label(), on))
	}
	q.digest, q.drawn = split.Digest, split.Draw(q.o.reviews, q.o.seed)
	e := &Explained{Run: q.run.Label(), ID: c.ID, About: q.Names().About(c), Data: q.data(), Epoch: q.as.Epoch, Reviews: q.drawn.Len(), Of: split.Len(), Seed: q.o.seed}
	for _, s := range q.o.chosen() {
		if why := s.Lacks(q.model); why != "" {
			e.Lacks = append(e.Lacks, s.Title+": "+why)
			continue
		}
		e.Scores = append(e.Scores, s.Name)
	}
	return e, nil
}

// test adds the results of all tests. It does not repeat a test whose result is kept and
// depends on the same things. An unreadable file counts as missing.
func (q *asked) test(ctx context.Context, e *Explained) error {
	var s *Subject // nil until a test needs it
	for _, name := range q.o.tests {
		test := Named(name)
		k := saved{About: q.about(test, e)}
		if q.o.out != "" {
			if kept, err := readSaved(k.About.path(q.o.out)); err == nil && reflect.DeepEqual(kept.About, k.About) {
				e.Results = append(e.Results, kept.Result)
				continue
			}
		}
		var err error
		if s == nil {
			if s, err = q.subject(ctx); err != nil {
				return err
			}
			defer s.Close()
		}
		b := progress.NewBar(q.IO)
		s.Heard = func(what string, done, of int) { b.Reviews(s.Label+", "+test.Name+": "+what, done, of) }
		k.Result, err = test.Run(ctx, s)
		b.Stop()
		if err != nil {
			return fmt.Errorf("%s: %w", q.run.Label(), err)
		}
		if q.o.out != "" {
			if err := k.write(q.o.out); err != nil {
				return err
			}
		}
		e.Results = append(e.Results, k.Result)
	}
	return nil
}

// about returns everything that the result of a test depends on.
func (q *asked) about(test *Test, e *Explained) about {
	a := about{Run: e.ID, Epoch: e.Epoch, Data: q.digest, Reviews: e.Reviews, Seed: e.Seed, Scores: e.Scores, Test: test.Name, Version: test.Version}
	if test.Peers {
		for _, p := range q.peers {
			a.Peers = append(a.Peers, p.ID)
		}
	}
	if test.Slow != "" {
		a.Epochs, a.Seeds, a.Removed = q.o.epochsOf(q.run), q.o.seeds, q.o.removed
	}
	return a
}
