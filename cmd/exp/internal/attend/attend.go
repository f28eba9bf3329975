// Package attend is exp attend: which words does a model attend to?
package attend

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
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
		Short: "Show what a run's model attends to",
		Long:  fmt.Sprintf(long, cli.OneOf(scores.Names()[1:])),
		Example: `  exp attend @last
  exp attend tme9-lstm 'not a good film , but a great one'
  exp attend tme9-lstm --by integrated 'not a good film , but a great one'
  exp attend tme9-lstm --flip 'not a good film , but a great one'
  exp attend tme9-lstm --beside nbsvm 'not a good film , but a great one'
  exp attend tme9-lstm --surest-wrong 5 --html wrong.html
  exp attend tme9-query --steps 'a great film'
  exp attend tme9-values --split test --format npz --out weights.npz
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
				o.top = usualTop(a.IO)
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

func attend(ctx context.Context, a *cli.App, ref string, words []string, o options) error {
	notTranslating := cli.Usage(errors.New("--of is for runs that translate (group seq2seq)"))
	if o.of != "" && modelview.Classifies(ref) {
		return notTranslating
	}
	pool, closePool := a.Pool(ctx)
	defer closePool()
	found, err := modelview.Find(a, ref)
	switch {
	case err != nil:
		return err
	case found.Translates():
		m, err := found.Translator(a, pool)
		if err != nil {
			return err
		}
		defer m.Close()
		return translation(ctx, a, found.Run, m, words, o)
	case o.of != "":
		return notTranslating
	case o.given("format") && o.split == "":
		return cli.Usage(errors.New("--format is of --split and runs that translate (group seq2seq)"))
	}
	run := found.Run
	t, err := found.Trained()
	if err != nil {
		return err
	}
	o.ref, o.about, o.file, o.epoch = ref, a.Names().About(&run.Config), run.Path == "", t.Epoch
	m, err := t.Model(pool)
	if err != nil {
		return err
	}
	defer m.Close()
	if flag := cli.Given(o.given, "steps", "words", "split", "spread"); m.Scorer() != nil && flag != "" {
		what := fmt.Sprintf("--%s is about attention, and %s counts n-grams; %s shows what each adds to the score", flag, run.Label(), a.Command("attend", ref, "TEXT"))
		if !o.file { // exp show takes no files
			what += fmt.Sprintf(", %s the largest weights of all", a.Command("show", run.Path))
		}
		return cli.Usage(errors.New(what))
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
	list, err := subjects(ctx, a, run, words, o)
	if err != nil {
		return err
	}
	if len(words) > 0 && len(m.Unknown(list[0].Text)) > 0 {
		modelview.LookUp(ctx, a, &run.Config, m)
	}
	if o.steps {
		err = stepsOf(a.IO, run, m, list, o)
	} else {
		err = withOthers(a, runView{run: run, m: m, weights: o.weights(run), list: list}, pool, o, func(all []runView) error {
			return viewTexts(ctx, a, all, o)
		})
	}
	if n := m.Found(); n > 0 && err == nil && o.html != "-" {
		a.Printf("\n%s\n", a.Wrap(fmt.Sprintf("%d words new to the run were looked up in %s.", n, infer.Pretrained(&run.Config)), "", ""))
	}
	return err
}
