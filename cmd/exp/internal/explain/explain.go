// Package explain is exp explain: is attention an explanation of what a run's model says?
package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const long = `Ask whether attention, or another score of words, explains what runs' models say: the
tests of the debate between Jain and Wallace 2019 ("Attention is not Explanation") and
Wiegreffe and Pinter 2019 ("Attention is not not Explanation"), on the test reviews.

tests
%s
scores of words
%s
Of a name that stands for the seeds of a setting all are asked, and the means over them
shown; --out and the other formats have each.

By default %d reviews are asked about, of models with layers of self-attention %d, drawn by
--explain-seed with each class's share: about two minutes on IMDB with two cores.
--reviews 0 takes all. The same reviews, seed and run give the same bits for any number of
workers.

--out DIR writes explain.html, explain.json, explain.csv and the figures, and keeps
what each test of each run has come to (in DIR/results), so that the same command goes
on where it was interrupted and computes nothing twice.`

type options struct {
	tests, scores []string
	usualScores   bool // nobody has said which
	reviews       int
	usual         bool // nobody has said how many
	epochs        int  // of roar
	seed          uint64
	out, format   string
}

// How many reviews are asked about when nobody says: about two minutes' worth. In layers
// of self-attention leaving out each word takes the third power of a review's length.
const usualReviews, usualOfLayers = 500, 100

// New returns exp explain.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "explain RUN…",
		Short: "Test whether attention explains what a run's model says",
		Long:  fmt.Sprintf(long, listed(testLines()), listed(scoreLines()), usualReviews, usualOfLayers),
		Example: "  exp explain @last\n  exp explain tme9-lstm tme9-simple --out explained\n" +
			"  exp explain tme9-lstm --tests agreement,erasure --reviews 0",
		ValidArgsFunction: a.CompleteRuns,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("explain which runs? @last is the last one")
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.usual, o.usualScores = !cmd.Flags().Changed("reviews"), !cmd.Flags().Changed("scores")
			err := explain(cmd.Context(), a, args, o)
			if o.out != "" && cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
				fmt.Fprintf(a.IO.Err, "exp: interrupted; the tests that are done are kept in %s: the same command goes on\n", term.Line(o.out))
				return cli.Reported(err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.tests, "tests", battery.Usual(), "`LIST` of tests")
	f.StringSliceVar(&o.scores, "scores", usualScores(), "`LIST` of scores to compare")
	f.IntVar(&o.reviews, "reviews", usualReviews, "ask about `N` reviews, of layers of self-attention fewer; 0 for all of the run's test")
	f.IntVar(&o.epochs, "roar-epochs", usualEpochs, "of roar: train for `N` epochs, the run's own at most; 0 for these")
	f.Uint64Var(&o.seed, "explain-seed", 1, "seed of the reviews drawn and of everything random in the tests")
	f.StringVar(&o.out, "out", "", "also write a page, figures, JSON and CSV into this `DIR`, and keep results there")
	f.StringVar(&o.format, "format", "text", "of standard output: text, json or csv")
	cmd.MarkFlagDirname("out")
	cmd.RegisterFlagCompletionFunc("tests", cobra.FixedCompletions(battery.Names(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("scores", cobra.FixedCompletions(scores.Names(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

var formats = []string{"text", "json", "csv"}

// check refuses what there is not.
func (o *options) check() error {
	for _, t := range o.tests {
		if _, err := battery.Lookup(t); err != nil {
			return fmt.Errorf("--tests: %w", err)
		}
	}
	for _, s := range o.scores {
		if _, err := scores.Lookup(s); err != nil {
			return fmt.Errorf("--scores: %w", err)
		}
	}
	switch {
	case len(o.tests) == 0:
		return errors.New("--tests: which? " + strings.Join(battery.Names(), ", "))
	case o.reviews < 0:
		return fmt.Errorf("--reviews %d: want 0 (all) or more", o.reviews)
	case o.epochs < 0:
		return fmt.Errorf("--roar-epochs %d: want 0 (the run's own) or more", o.epochs)
	case !slices.Contains(formats, o.format):
		return fmt.Errorf("--format %s: use %s", o.format, cli.OneOf(formats))
	}
	return nil
}

// usualScores are those that do not take too long.
func usualScores() (out []string) {
	for _, s := range scores.All() {
		if s.Slow == "" {
			out = append(out, s.Name)
		}
	}
	return out
}

// wanted returns the scores asked for, in their order.
func (o *options) wanted() (out []*scores.Score) {
	for _, s := range scores.All() {
		if slices.Contains(o.scores, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

func testLines() (out [][2]string) {
	for _, t := range battery.All() {
		source := t.Source
		if t.Slow != "" {
			source += "; left out unless it is asked for: " + t.Slow
		}
		out = append(out, [2]string{t.Name, source})
	}
	return out
}

func scoreLines() (out [][2]string) {
	for _, s := range scores.All() {
		out = append(out, [2]string{s.Name, s.Title + ": " + s.Source})
	}
	return out
}

func listed(lines [][2]string) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "  %-12s  %s\n", l[0], l[1])
	}
	return b.String()
}

// Explained is what the tests of a run have come to.
type Explained struct {
	Run     string            `json:"run"` // its label
	ID      string            `json:"id"`
	About   string            `json:"settings"`
	Data    string            `json:"data"`
	Epoch   int               `json:"epoch"`
	Reviews int               `json:"reviews"` // asked about
	Of      int               `json:"of"`      // those of the test set
	Seed    uint64            `json:"seed"`
	Scores  []string          `json:"scores"`
	Lacks   []string          `json:"lacks,omitempty"` // scores that the model has not, and why
	Results []*battery.Result `json:"results"`

	seeds int // of which these are means; 0 for a run
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
	var out []group
	for _, of := range list {
		var g group
		for _, run := range of {
			e, err := explainRun(ctx, a, run, o)
			if err != nil {
				return err
			}
			g = append(g, e)
		}
		out = append(out, g)
	}
	if err := show(a, out, o.format); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	return writeFolder(a, out, o.out)
}
