// Package explain is exp explain: does attention explain a model's predictions?
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
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

// Subject is a run's model with the reviews that the tests ask it about. It is not safe
// for concurrent use.
type Subject struct {
	Model   *infer.Model
	Reviews *infer.Split
	Texts   []scores.Text // the reviews with the predicted class
	P       []float64     // probability of that class
	Scores  []*scores.Score
	Asker   *scores.Asker
	Seed    uint64
	Label   string // of the run, for messages
	Peers   []Peer // other runs to compare with

	// Untrained opens the model with random weights from a seed. Close it.
	Untrained func(seed uint64) (*infer.Model, error)
	// Marks says for each word of each review whether annotators marked it as a reason for
	// the label. It may be nil.
	Marks func(ctx context.Context) ([][]bool, error)
	// Retrain prepares to train the run again, or says why that is not possible. It may be
	// nil.
	Retrain func(ctx context.Context) (t *Retraining, lacks string, err error)
	Heard   func(what string, done, of int) // reports progress; may be nil

	Complete scores.Completeness // of integrated gradients, once computed

	computed map[*scores.Score][][]float32
	within   map[*scores.Score]string // how exact its estimates are, in a sentence
}

// chunk is how many reviews are processed at once.
const chunk = 128

func (q *asked) subject(ctx context.Context) (*Subject, error) {
	s, err := NewSubject(ctx, q.model, q.drawn, q.o.chosen(), q.o.seed)
	if err != nil {
		return nil, err
	}
	s.Label, s.Peers = q.run.Label(), q.peers
	s.Marks = func(ctx context.Context) ([][]bool, error) {
		return q.model.Marked(ctx, q.folder, q.data(), q.drawn, folder.Options{})
	}
	s.Retrain = q.retrainable
	s.Untrained = func(seed uint64) (*infer.Model, error) {
		t, err := infer.ReadRun(q.run)
		if err != nil {
			return nil, err
		}
		return t.Untrained(q.pool, seed)
	}
	return s, nil
}

// NewSubject asks the model about the reviews, and keeps the scores that the model has.
func NewSubject(ctx context.Context, m *infer.Model, reviews *infer.Split, list []*scores.Score, seed uint64) (*Subject, error) {
	if reviews.Len() == 0 {
		return nil, errors.New("no reviews to ask about: with so few, no class gets one")
	}
	s := &Subject{Model: m, Reviews: reviews, Seed: seed, Asker: scores.New(m, seed), computed: map[*scores.Score][][]float32{}, within: map[*scores.Score]string{}}
	var err error
	if s.Texts, s.P, err = s.Asker.Answered(ctx, reviews.Texts); err != nil {
		return nil, infer.Named(err, reviews.Names)
	}
	for _, score := range list {
		if score.Lacks(m) == "" {
			s.Scores = append(s.Scores, score)
		}
	}
	return s, nil
}

// Close frees the Asker, not the model.
func (s *Subject) Close() { s.Asker.Close() }

// Compute returns a score of each word of each review. It computes each score once.
func (s *Subject) Compute(ctx context.Context, score *scores.Score) ([][]float32, error) {
	if known, ok := s.computed[score]; ok {
		return known, nil
	}
	s.Asker.Complete = scores.Completeness{}
	out := make([][]float32, 0, len(s.Texts))
	asked, within, size := 0, 0.0, 0.0
	for part := range slices.Chunk(s.Texts, chunk) {
		s.heard(score.Title, len(out))
		s.Asker.Estimate = nil
		list, err := s.Asker.Compute(ctx, score, part)
		if err != nil {
			return nil, infer.Named(err, s.Reviews.Names[len(out):])
		}
		out = append(out, list...)
		if e := s.Asker.Estimate; e != nil {
			asked += e.Asked
			for i, words := range e.Within {
				within, size = within+total(words), size+total(list[i])
			}
		}
	}
	if c := s.Asker.Complete; c.Texts > 0 {
		s.Complete = c
	}
	if asked > 0 {
		s.within[score] = fmt.Sprintf("%s: estimated from %s random texts, %s on average; their 95 %% intervals are ± %.0f %% of the scores.",
			score.Title, format.Thousands(asked), format.Thousands(asked/len(s.Texts))+" a review", 100*within/size)
	}
	s.computed[score] = out
	return out, nil
}

// each calls f with every score of the subject, computed.
func (s *Subject) each(ctx context.Context, f func(score *scores.Score, list [][]float32) error) error {
	for _, score := range s.Scores {
		list, err := s.Compute(ctx, score)
		if err == nil {
			err = f(score, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// total returns Σ |x|.
func total(list []float32) (sum float64) {
	for _, x := range list {
		sum += math.Abs(float64(x))
	}
	return sum
}

// eachBatch calls f with the reviews of each batch.
func (s *Subject) eachBatch(ctx context.Context, what string, f func(group []int, texts []infer.Encoded) error) error {
	done := 0
	err := s.Asker.EachBatch(ctx, s.Texts, func(group []int, texts []infer.Encoded) error {
		if err := f(group, texts); err != nil {
			return err
		}
		done += len(group)
		s.heard(what, done)
		return nil
	})
	return infer.Named(err, s.Reviews.Names)
}

func (s *Subject) heard(what string, done int) {
	if s.Heard != nil {
		s.Heard(what, done, len(s.Texts))
	}
}
