// Package attend is exp attend: where does a model look?
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
	"imdbexp/internal/ops"
)

const long = `Show a review as a run's model sees it: its words shaded by attention, the words
with the largest weights, the prediction, and how far the attention is spread.

TEXT is any text; - reads it from standard input. It needs nothing but the run's
folder, or the file that exp export has made of it, which may stand for RUN.
Without TEXT a review of the run's test set is shown, or those that --review,
--best, --worst and --surest-wrong ask for.

A shade says how often more than its equal share a word gets, weight × number of
words, whatever the length of the text: none up to 1, then a step for each
doubling up to 32. Without colour [2 or more], [[8 or more]], [[[32 or more]]].
Words without a vector are underlined, or have a ~ before them.

In layers of self-attention each word looks at all others; shown is what the words
receive in the last layer, on average over its heads, from [CLS] where there is
one. --layer and --head choose, --word shows what one word looks at.

A run that counts n-grams (nbsvm, bow-lr) attends to nothing, but its score is a sum:
each n-gram's part of it is listed, with the class that it pushes to, and words are
shaded by the parts of the n-grams that they are in, each divided evenly among its
words: orange to one class, blue or {in braces} to the other.

Of a run that translates (group seq2seq) the alignment of a sentence is drawn: a row
for each word of its translation, shaded by how much of the attention falls on each
word of the source. --layer and --head choose; without them it is the mean over the
heads of the last layer. --of encoder and --of decoder show self-attention instead,
where the model has it: how the words of the source look at each other, and how each
step looks at what is written so far. --word leaves the row of one word, --html shows
all heads, --out draws a picture, --format jsonl writes all weights. --steps prints
for each word of the translation how its step looks at the source, and the likeliest
words of the distribution that it was taken from; --word leaves one of the steps.

--by shows another score of the words in the place of attention:
%s.
Scores with signs tell which class a word speaks for: orange is for the class
predicted, blue against it; without colour {2 or more} and so on. With --split the
scores of all words are written, as by exp export --by.

--beside RUN shows the same texts as another run sees them, attention beside the
n-grams of nbsvm, say; it may be repeated.

--words adds up the test set, a line a word. --split writes the weights of all
reviews of a split: as jsonl a line a review with id, label, predicted, words,
weights and entropy; as npz the arrays weights and word_ids (a number a word, the
reviews one after another), offsets (review b has offsets[b] to offsets[b+1]),
labels, predicted, entropies, and the texts vocabulary, ids and classes, whose
lines the numbers count from 0. --steps prints how the numbers of a short sentence
come about. --spread prints a line for each layer and head: the variance of the scores
that a query compares words by, before and after they are scaled, and of the softmax
of them the entropy, the largest weight and the slope 1 − Σα², which is 0 where one
word has all, and no gradient comes back to the scores.`

// New returns exp attend.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "attend RUN [TEXT|-]",
		Short: "Show what a run's model attends to",
		Long:  fmt.Sprintf(long, cli.OneOf(scores.Names()[1:])),
		Example: "  exp attend @last\n  exp attend tme9-lstm --by integrated 'not a good film , but a great one'\n  exp attend tme9-simple 'not a good film , but a great one'\n" +
			"  exp attend tme9-lstm --surest-wrong 5 --html wrong.html\n  exp attend tme10-cls --layer 2 --word '[CLS]'\n  exp attend tme9-lstm --beside nbsvm 'not a good film , but a great one'\n" +
			"  exp attend tme9-simple --words\n  exp attend tme10-self --spread\n  exp attend tme9-values --split test --format npz --out weights.npz\n" +
			"  exp attend tme9-query --steps 'a great film'\n  exp attend seq2seq-bahdanau 'the red carpet' --out carpet.svg\n" +
			"  exp attend seq2seq-transformer 'the red carpet' --of decoder --layer 1 --head 2",
		ValidArgsFunction: a.CompleteRuns,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("attention of which run? @last is the last one")
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
	o.register(cmd)
	return cmd
}

func attend(ctx context.Context, a *cli.App, ref string, words []string, o options) error {
	ofClassifier := cli.Usage(errors.New("--of is for runs that translate (group seq2seq)"))
	if o.of != "" && modelview.Classifies(ref) {
		return ofClassifier
	}
	pool := ops.NewPool(a.Workers)
	defer pool.Close()
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
		return ofClassifier
	case o.given("format") && o.split == "":
		return cli.Usage(errors.New("--format is of --split and runs that translate (group seq2seq)"))
	case o.out != "" && o.split == "":
		return cli.Usage(errors.New("--out is of --split and runs that translate (group seq2seq); a page is written by --html"))
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
	if flag := cli.Given(o.given, "steps", "words", "split", "spread", "by"); m.Scorer() != nil && flag != "" {
		if flag == "split" && o.given("by") {
			flag = "by"
		}
		what := fmt.Sprintf("--%s is about attention, and %s counts n-grams: %s shows what each says of a text", flag, run.Label(), a.Command("attend", ref, "TEXT"))
		if !o.file { // which exp show does not take, as it takes an experiment's name for the experiment
			what += fmt.Sprintf(", %s the heaviest of all", a.Command("show", run.Path))
		}
		return cli.Usage(errors.New(what))
	}
	if m.BatchDependent() && o.split == "" && !o.words && !o.spread {
		a.Warn(errors.New("with slip.pad or norm.eval=batch the other reviews of a batch have a part in a prediction: here each text is alone"))
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
	if len(words) > 0 && m.Lacks(list[0].Text) {
		modelview.LookUp(ctx, a, &run.Config, m)
	}
	if o.steps {
		err = stepsOf(a.IO, run, m, list, o)
	} else {
		err = beside(a, looking{run: run, m: m, weights: o.weights(run), list: list}, pool, o, func(all []looking) error {
			return viewTexts(ctx, a.IO, all, o)
		})
	}
	if n := m.Found(); n > 0 && err == nil && o.html != "-" {
		a.Printf("\n%s\n", a.Wrap(fmt.Sprintf("Words that the run had not met: %d looked up in %s.", n, infer.Pretrained(&run.Config)), "", ""))
	}
	return err
}
