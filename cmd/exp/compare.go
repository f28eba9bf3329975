package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/internal/fsx"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

type compareOptions struct {
	format, ladder, out string
	with                []string
}

// compareFormats are those of comparisons and of the ladder.
var compareFormats = []string{"text", "md", "csv"}

func (a *app) compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… | RUN… --with FILE.tsv | --ladder NAME [key=value…]",
		Short: "Compare runs on the same reviews: is the difference more than noise?",
		Long: `Compare runs by their predictions on the test reviews that they have in common.
The first is compared with each of the others; with several others, p is adjusted
by Holm's method.

A RUN is one run (a folder, an ID, @last), or all the seeds of a setting:
'tme9-lstm[optimizer=sgd,variant=original]' must leave nothing open but the seed;
a name alone stands for all seeds of its newest finished run. Two single runs are
compared by McNemar's test, seeds by a paired bootstrap over seeds and reviews.

--with FILE.tsv brings the predictions of another program: tab-separated, with a
header and the columns review, predicted and, where known, label, as in a run's
predictions.tsv.

--ladder NAME shows which slips of the published code matter: from variant=original
to the default one at a time, and each alone put back into the default, over three
seeds and more. It trains nothing; what has not been run is listed as commands.
key=value holds for all of its runs.`,
		Example: `  exp compare tme9-mean tme9-simple
  exp compare 'tme9-lstm[optimizer=sgd,variant=original]' 'tme9-lstm[optimizer=sgd,variant=default]'
  exp compare tme9-mean tme9-simple tme9-values tme9-lstm --format md
  exp compare @last --with theirs.tsv
  exp compare --ladder tme9-values optimizer=sgd --out figures`,
		ValidArgsFunction: a.completeRuns,
		Args:              o.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.ladder != "" {
				return a.ladder(o.ladder, args, o)
			}
			return a.compare(args, o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "text, md or csv")
	cmd.Flags().StringArrayVar(&o.with, "with", nil, "predictions of another program, - reads them from standard input; may be given several times")
	cmd.Flags().StringVar(&o.ladder, "ladder", "", "experiment whose slips are taken out and put back one by one")
	cmd.Flags().StringVar(&o.out, "out", "", "with --ladder: also draw it into this folder, as PNG and SVG")
	cmd.MarkFlagFilename("with", "tsv")
	cmd.MarkFlagDirname("out")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(compareFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("ladder", cobra.FixedCompletions(ladderNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// maxAnswers bounds a file of predictions; IMDB's has 1.5 MB.
const maxAnswers = 1 << 28

// check refuses words and flags that do not go together.
func (o *compareOptions) check(_ *cobra.Command, args []string) error {
	switch {
	case !slices.Contains(compareFormats, o.format):
		return fmt.Errorf("--format %s: use %s", o.format, oneOf(compareFormats))
	case o.ladder != "" && len(o.with) > 0:
		return errors.New("--ladder compares an experiment with itself: leave out --with")
	case o.ladder == "" && o.out != "":
		return errors.New("--out draws what --ladder NAME shows; exp report --out draws the runs")
	case o.ladder == "" && len(args) == 0:
		return errors.New("compare what? Name two runs, such as tme9-mean tme9-simple, or --ladder tme9-values")
	case o.ladder == "" && len(args)+len(o.with) < 2:
		return fmt.Errorf("compare %s with what? Name another run or --with FILE.tsv", args[0])
	}
	return nil
}

func (a *app) compare(refs []string, o compareOptions) error {
	var groups [][]*runs.Run
	for _, ref := range refs {
		g, err := a.seedsOf(ref)
		if err != nil {
			return err
		}
		groups = append(groups, g)
	}
	var sides []compare.Side
	for i, name := range report.Names(groups) {
		s, err := compare.ReadSide(name, groups[i])
		if err != nil {
			return a.withoutPredictions(err)
		}
		sides = append(sides, s)
	}
	for _, path := range o.with {
		side, err := a.answersOf(path)
		if err != nil {
			return err
		}
		sides = append(sides, side)
	}
	list, err := compare.Against(sides[0], sides[1:]...)
	if err != nil {
		return err
	}
	return a.inFormat(o.format, compare.Table(list))
}

// answersOf reads the predictions of another program from a file, or with - from
// standard input.
func (a *app) answersOf(path string) (compare.Side, error) {
	var b []byte
	var err error
	if path == "-" {
		path = "standard input"
		b, err = a.standardInput(maxAnswers)
	} else {
		b, err = fsx.ReadFile(path, maxAnswers)
	}
	if err != nil {
		return compare.Side{}, err
	}
	answers, err := compare.ParseAnswers(path, b)
	return compare.Side{Name: path, Answers: []*compare.Answers{answers}}, err
}

// inFormat writes to the output.
func (a *app) inFormat(format string, what compare.Printable) error {
	switch format {
	case "md":
		return what.Markdown(a.io.Out)
	case "csv":
		return what.CSV(a.io.Out)
	}
	return what.Text(a.io.Out, a.io.Width(), a.io.Color())
}
