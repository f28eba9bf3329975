// Package attend is exp attend: which words does a model attend to?
package attend

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const long = `Show a review as a run's model sees it: the prediction, the words shaded by attention,
and the words with the largest weights.

TEXT is any text; - reads it from standard input. Without TEXT, a test review of the run is
shown. RUN can also be a file from exp export.

The shade shows how much attention a word gets compared with an equal share: none up to 1,
then a step for each doubling up to 32. Without colour: [2 or more], [[8 or more]],
[[[32 or more]]]. Words without a vector are underlined, or marked with ~.

Runs that count n-grams (nbsvm, bow-lr) show what each n-gram adds to the score, in orange
for one class and in blue or {braces} for the other. Runs that translate (group seq2seq)
show how the words of a translation align with the source.

--by shows another score instead of attention:
%s.
--flip finds the fewest words whose removal (or replacement, --flip=replace) changes the
answer: by falling score (of --by, else what each word's change does); all sets of up to
three words are tried, in very long texts fewer.
docs/guide explains all views, docs/formats.md the files of --split.`

// New returns exp attend.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "attend RUN [TEXT|-]",
		Short: "Show which words a run's model attends to",
		Long:  fmt.Sprintf(long, cli.OneOf(scores.Names()[1:])),
		Example: `  exp attend @last
  exp attend tme9-lstm 'not a good film , but a great one'
  exp attend tme9-lstm --by integrated 'not a good film , but a great one'
  exp attend tme9-lstm --flip 'not a good film , but a great one'
  exp attend tme9-lstm --surest-wrong 5 --format json
  exp attend tme9-query --steps 'a great film'
  exp attend tme9-values --split test --out weights.jsonl
  exp attend seq2seq-bahdanau 'the red carpet' --out carpet.svg`,
		ValidArgsFunction: a.CompleteRuns,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a run; @last is the newest")
			}
			o.given = cli.GivenFlags(cmd)
			return o.check(args[1:], o.given)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.words && !o.given("top") {
				o.top = math.MaxInt
				if a.IO.Terminal() {
					o.top = usualTallies
				}
			}
			err := attend(cmd.Context(), a, args[0], args[1:], o)
			if _, wrong := errors.AsType[*infer.LookError](err); wrong {
				return cli.Usage(err)
			}
			return err
		},
	}
	o.register(a, cmd)
	return cmd
}

// shown is a run's model with the texts that it is asked about.
type shown struct {
	run     *runs.Run
	m       *infer.Model
	weights string // the settings and the epoch of the weights
	list    []subject
}

func attend(ctx context.Context, a *cli.App, ref string, words []string, o options) error {
	found, err := modelview.Open(ctx, a, ref)
	if err != nil {
		return err
	}
	defer found.Close()
	run, m := found.Run, found.Model
	switch {
	case m == nil:
		found.WarnUnfinished(a)
		return translation(ctx, a, run, found.Translator, words, o)
	case o.of != "":
		return cli.Usage(errors.New("--of is for runs that translate (group seq2seq)"))
	}
	if flag := cli.Given(o.given, "steps", "words", "split", "spread"); m.Scorer() != nil && flag != "" {
		return cli.Usage(fmt.Errorf("--%s is about attention, and %s counts n-grams; %s shows what each adds to the score",
			flag, run.Label(), a.Command("attend", ref, "TEXT")))
	}
	if m.BatchDependent() && o.split == "" && !o.words && !o.spread {
		a.Warn(errors.New("with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch; here each text is alone"))
	}
	switch {
	case o.spread:
		return printSpread(ctx, a, run, m, o)
	case o.words:
		return wordsOf(ctx, a, run, m, o)
	case o.split != "":
		return writeSplit(ctx, a, run, m, o)
	}
	s := shown{run: run, m: m, weights: weightsOf(a, run, found.Epoch)}
	if s.list, err = subjects(ctx, a, run, words, o); err != nil {
		return err
	}
	if len(words) > 0 && len(m.Unknown(s.list[0].Text)) > 0 {
		modelview.LookUp(ctx, a, &run.Config, m)
	}
	if o.steps {
		err = s.steps(a.IO, o)
	} else {
		err = s.texts(ctx, a, o)
	}
	if n := m.Found(); n > 0 && err == nil && o.format == "text" {
		a.Printf("\n%s\n", a.Wrap(fmt.Sprintf("%d words new to the run were looked up in %s.", n, infer.Pretrained(&run.Config)), "", ""))
	}
	return err
}

// texts shows each text as the model sees it, on the terminal or as a picture.
func (s *shown) texts(ctx context.Context, a *cli.App, o options) error {
	for i := range s.list {
		var err error
		if s.list[i].view, err = s.m.View(s.list[i].Text, o.look); err != nil {
			return fmt.Errorf("%s: %w", s.run.Label(), err)
		}
	}
	if err := s.showBy(ctx, o); err != nil {
		return fmt.Errorf("%s: %w", s.run.Label(), err)
	}
	switch {
	case o.out != "":
		return s.picture(a, o)
	case o.format != "text":
		return s.print(a.IO, o.format)
	}
	a.Say(a.Paint(term.Bold, s.run.Label())+": "+s.weights, "", "  ")
	for _, text := range s.list {
		a.Printf("\n")
		printText(a.IO, s.m, text, o.top)
	}
	legend(a.IO, s.m.Classes, s.list)
	return nil
}
