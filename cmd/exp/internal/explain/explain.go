// Package explain is exp explain: does attention explain a model's predictions?
package explain

import (
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
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const long = `Test whether attention, or another score of words, explains the predictions of runs'
models. These are the tests of the debate between Jain and Wallace 2019 ("Attention is not
Explanation") and Wiegreffe and Pinter 2019 ("Attention is not not Explanation").

Tests:
%s
%s

By default %d test reviews are sampled, %d for models with layers of self-attention. That
takes about two minutes on IMDB with two cores. A name with several seeds shows their means.
--out DIR also writes a page, and continues there after an interruption.`

type options struct {
	tests, scores []string
	reviews       int
	usual         bool     // --reviews is not given
	removed       []string // scores by which roar removes words
	seed          uint64   // of the sample of reviews and of the tests
	on            string   // data set whose test reviews are used; "": the run's
	out, format   string
}

// Default numbers of reviews, for about two minutes. With layers of self-attention, omitting
// each word in turn takes time cubic in the length of a review.
const usualReviews, usualOfLayers = 500, 100

// New returns exp explain.
func New(a *cli.App) *cobra.Command {
	o := options{seed: 1}
	var ofTests strings.Builder
	var usualTests, usualScores, ofScores []string
	for _, t := range tests {
		source, _, _ := strings.Cut(t.Source, ";")
		if t.Slow != "" {
			source += "; trains again, so not by default"
		} else {
			usualTests = append(usualTests, t.Name)
		}
		fmt.Fprintf(&ofTests, "  %-12s  %s\n", t.Name, source)
	}
	for _, s := range scores.All() {
		if name := s.Name; strings.EqualFold(name, s.Title) {
			ofScores = append(ofScores, name)
		} else {
			ofScores = append(ofScores, name+" = "+s.Title)
		}
		if !s.Slow {
			usualScores = append(usualScores, s.Name)
		}
	}
	cmd := &cobra.Command{
		Use:   "explain RUN…",
		Short: "Test whether attention explains a model's predictions",
		Long:  fmt.Sprintf(long, &ofTests, term.Wrap("Scores of words: "+strings.Join(ofScores, ", ")+".", 88, "", ""), usualReviews, usualOfLayers),
		Example: "  exp explain @last\n  exp explain tme9-lstm tme9-simple --out explained\n" +
			"  exp explain tme9-lstm --tests agreement,erasure --reviews 0\n" +
			"  exp explain nbsvm tme9-lstm --tests plausibility --scores lime,shap,random --on minimal",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a run; @last is the newest")
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.usual, o.removed = !cmd.Flags().Changed("reviews"), o.scores
			if !cmd.Flags().Changed("scores") {
				o.removed = roarScores
			}
			err := explain(cmd.Context(), a, args, o)
			if o.out != "" && cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
				fmt.Fprintf(a.Err, "exp: interrupted: finished tests are kept in %s; the same command continues\n", term.Line(o.out))
				return cli.Reported(err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.tests, "tests", usualTests, "`LIST` of tests (default: all but roar)")
	f.StringSliceVar(&o.scores, "scores", usualScores, "`LIST` of scores (default: all but lime and shap)")
	f.Lookup("tests").DefValue, f.Lookup("scores").DefValue = "[]", "[]" // the texts say it
	f.IntVar(&o.reviews, "reviews", usualReviews, "use `N` test reviews, 0 for all")
	f.StringVar(&o.on, "on", "", "use the test reviews of other `DATA`")
	f.StringVar(&o.out, "out", "", "also write a page, figures, JSON and CSV into `DIR`")
	cli.FormatFlag(cmd, &o.format, cli.ListFormats)
	a.TitleFlag(cmd)
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
	case o.on != "" && slices.Contains(o.tests, roar.Name):
		return errors.New("--on: roar trains again on the run's own data; omit --on or the test roar")
	case len(o.tests) == 0:
		return errors.New("--tests: name some of " + strings.Join(names(), ", "))
	case o.reviews < 0:
		return fmt.Errorf("--reviews %d: want 0 (all) or more", o.reviews)
	}
	return cli.Folder("out", o.out)
}

func explain(ctx context.Context, a *cli.App, refs []string, o options) error {
	lists, out := make([][]*runs.Run, len(refs)), make([]group, len(refs))
	for i, ref := range refs {
		var err error
		if lists[i], err = a.RunsOf(ref); err != nil {
			return err
		}
	}
	for i, list := range lists {
		for _, run := range list {
			e, err := explainRun(ctx, a, run, o)
			if err != nil {
				return err
			}
			out[i] = append(out[i], e)
		}
	}
	if err := show(a, out, o.format); err != nil || o.out == "" {
		return err
	}
	return writeFolder(a, out, o.out)
}

// explainRun runs the tests of a run. It reads the result of a test from --out if one with the
// same inputs is kept there. An unreadable file counts as missing.
func explainRun(ctx context.Context, a *cli.App, run *runs.Run, o options) (*Explained, error) {
	s, err := open(ctx, a, run, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	e := s.facts()
	for _, name := range o.tests {
		test := Named(name)
		k := saved{About: s.about(test, e)}
		kept, err := readSaved(k.About.path(o.out))
		if err == nil && o.out != "" && reflect.DeepEqual(kept.About, k.About) {
			e.Results = append(e.Results, kept.Result)
			continue
		}
		if err := s.answer(ctx); err != nil {
			return nil, err
		}
		b := progress.NewBar(a.IO)
		s.Heard = func(what string, done, of int) { b.Reviews(run.Label()+", "+name+": "+what, done, of) }
		k.Result, err = test.Run(ctx, s)
		b.Stop()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.Label(), err)
		}
		if o.out != "" {
			if err := k.write(o.out); err != nil {
				return nil, err
			}
		}
		e.Results = append(e.Results, k.Result)
	}
	return e, nil
}
