// Package explain is exp explain: does attention explain a model's predictions?
package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
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
