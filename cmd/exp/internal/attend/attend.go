// Package attend is exp attend: which words does a model attend to?
package attend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const long = `Show a review as a run's model sees it: the prediction, the words shaded by attention,
and the words with the largest weights. TEXT is any text; - reads standard input; without
it, a test review is shown. RUN can also be a file from exp export. A name with several
seeds means the one with the median test accuracy.

The shade shows how much attention a word gets compared with an equal share: none up to 1,
then a step for each doubling up to 32. Without colour: [2 or more], [[8 or more]],
[[[32 or more]]]. Words without a vector are underlined, or marked with ~.

Runs that count n-grams (nbsvm, bow-lr) show what each n-gram adds to the score: orange for
one class, blue or {braces} for the other. Runs that translate (group seq2seq) show how
the words of a translation align with the source.

--by shows another score instead of attention:
%s.
docs/guide/attention.md explains all views.`

// New returns exp attend.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "attend RUN [TEXT|-]",
		Short: "Show which words a run's model attends to",
		Long:  fmt.Sprintf(long, cli.OneOf(scores.Names()[1:])),
		Example: `  exp attend @last
  exp attend tme9-lstm 'the jokes are never hilarious'
  exp attend tme9-lstm --by integrated --review test/0001
  exp attend tme9-lstm --flip 'the jokes are never hilarious'
  exp attend tme9-query --steps 'the jokes are hilarious'
  exp attend tme9-values --split test --out weights.jsonl
  exp attend seq2seq-bahdanau 'the red carpet' --out carpet.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a run; @last is the newest")
			}
			o.given = cli.GivenFlags(cmd)
			return o.check(args[1:], o.given)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := attend(cmd.Context(), a, args[0], args[1:], o)
			if _, wrong := errors.AsType[*infer.SelectionError](err); wrong {
				return cli.Usage(err)
			}
			return err
		},
	}
	o.register(a, cmd)
	return cmd
}

// shown is a run's model with the text that it predicts.
type shown struct {
	run     *runs.Run
	m       *infer.Model
	weights string         // the settings and the epoch of the weights
	review  dataset.Review // ID is "" for a given text
	view    *infer.View
	found   string // by --flip, a sentence
}

func attend(ctx context.Context, a *cli.App, ref string, words []string, o options) error {
	found, err := modelview.Open(ctx, a, ref)
	if err != nil {
		return err
	}
	defer found.Close()
	run, m := found.Run, found.Model
	if m == nil {
		found.WarnUnfinished(a)
		return translation(ctx, a, run, found.Translator, words, o)
	}
	if flag := cli.Given(o.given, "steps", "words", "split", "spread"); m.Scorer() != nil && flag != "" {
		return cli.Usagef("--%s is about attention, and %s counts n-grams; %s shows what each adds to the score",
			flag, run.Label(), a.Command("attend", ref, "TEXT"))
	}
	if m.BatchDependent() && cli.Given(o.given, "words", "split", "spread") == "" {
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
	if s.review, err = reviewOf(ctx, a, run, words, o.review); err != nil {
		return err
	}
	if len(words) > 0 && len(m.Unknown(s.review.Text)) > 0 {
		modelview.LookUp(ctx, a, &run.Config, m)
	}
	switch {
	case o.dots:
		return s.dots(a, o.out)
	case o.steps:
		err = s.steps(a.IO, o)
	default:
		err = s.text(ctx, a, o)
	}
	if n := m.Found(); n > 0 && err == nil && o.format == "text" {
		a.Printf("\n%s\n", a.Wrap(fmt.Sprintf("%d words new to the run were looked up in %s.", n, infer.Pretrained(&run.Config)), "", ""))
	}
	return err
}

// text shows the text as the model sees it, on the terminal or as a picture.
func (s *shown) text(ctx context.Context, a *cli.App, o options) (err error) {
	if s.view, err = s.m.View(s.review.Text, o.selected); err == nil {
		err = s.showBy(ctx, o)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", s.run.Label(), err)
	case o.out != "":
		return s.picture(a, o)
	case o.format != "text":
		return s.printJSON(a.IO)
	}
	a.Say(a.Paint(term.Bold, s.run.Label()) + ": " + s.weights)
	a.Printf("\n")
	s.printText(a.IO)
	return nil
}

// name returns what to call the text.
func (s *shown) name() string {
	if s.review.ID == "" {
		return "the text given"
	}
	return "review " + s.review.ID
}

// reviewOf returns the text that the command line names, or a review of the run's data: by its ID,
// or else a typical one.
func reviewOf(ctx context.Context, a *cli.App, run *runs.Run, words []string, id string) (dataset.Review, error) {
	if len(words) > 0 {
		text, err := cli.TypedText(a.IO, words)
		return dataset.Review{Text: text, Label: dataset.Unlabelled}, err
	}
	dir, err := a.Installed()
	if err != nil {
		return dataset.Review{}, err
	}
	var ids []string // without IDs to choose by, the first review
	if id == "" && run.Path != "" {
		p, err := run.Predictions()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.Warn(err)
		} else if err == nil && len(p.Rows) > 0 {
			id = modelview.Typical(p.Rows).Review
		}
	}
	if id != "" {
		ids = []string{id}
	}
	list, err := infer.Reviews(ctx, dir, run, ids)
	if err == nil {
		return list[0], nil
	}
	if _, missing := errors.AsType[*folder.NotInstalledError](err); missing {
		err = fmt.Errorf("%w. A text needs no data: %s", err, a.Command("attend", run.Label(), "some text"))
	}
	return dataset.Review{}, err
}

type options struct {
	review   string
	selected infer.Selection
	by       string // score to show
	flip     string // one of scores.Ways; "": do not flip

	words, steps, spread, dots bool

	split, format, out string
	limit              int // of --spread

	given func(flag string) bool
}

func (o *options) register(a *cli.App, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.review, "review", "", "`ID` of a review, such as test/pos/0_10")
	f.StringVar(&o.by, "by", scores.Attention, "`SCORE` of the words to show")
	f.StringVar(&o.flip, "flip", "", "`WAY` to change the answer: "+cli.OneOf(scores.Ways))
	f.Lookup("flip").NoOptDefVal = scores.Ways[0]
	f.IntVar(&o.selected.Layer, "layer", 0, "layer `L` of self-attention (default: the last)")
	f.IntVar(&o.selected.Head, "head", 0, "head `H` of self-attention (default: the mean)")
	f.StringVar(&o.selected.Word, "word", "", "self-attention of a `WORD`, a place, or [CLS]")
	f.BoolVar(&o.words, "words", false, "attention by word, over the test set")
	f.StringVar(&o.split, "split", "", "write the weights of a `SPLIT`, test or train")
	f.StringVar(&o.out, "out", "", "`FILE` of --split, or for a picture: .png, .svg")
	f.BoolVar(&o.steps, "steps", false, "print scores, softmax and weighted values")
	f.BoolVar(&o.dots, "dots", false, "draw dot products of words with positions")
	f.BoolVar(&o.spread, "spread", false, "how sharp the softmax of each layer and head is")
	f.IntVar(&o.limit, "limit", usualSpread, "of --spread: `N` reviews a class")
	cli.FormatFlag(cmd, &o.format, []string{"text", "json"})
	a.TitleFlag(cmd)
}

// modes are what exp attend can do; by default it shows a text.
var modes = []cli.Mode{
	{Takes: []string{"review", "word", "by", "flip", "layer", "head", "out", "no-title", "format"}},
	{Flags: []string{"words"}, Takes: []string{"layer", "head", "format"}},
	{Flags: []string{"split"}, Takes: []string{"layer", "head", "by", "out"}},
	{Flags: []string{"steps"}, Takes: []string{"review", "word", "layer", "head"}},
	{Flags: []string{"dots"}, Takes: []string{"review", "out", "no-title"}},
	{Flags: []string{"spread"}, Takes: []string{"limit", "format"}},
}

func (o *options) check(words []string, given func(string) bool) error {
	if err := cli.CheckModes(given, modes); err != nil {
		return err
	}
	switch split := cli.Given(given, "words", "split", "spread"); {
	case len(words) > 0 && o.review != "":
		return errors.New("give either a text, or a review with --review")
	case len(words) > 0 && split != "":
		return fmt.Errorf("--%s covers a whole split: omit the text", split)
	case o.steps && len(words) == 0 && o.review == "":
		return errors.New("--steps needs a short text: exp attend RUN --steps 'not a great film'")
	case given("split") && !slices.Contains(splitNames, o.split):
		return fmt.Errorf("--split %s: use test or train", o.split)
	case o.format != "text" && o.out != "":
		return fmt.Errorf("--format %s goes to the standard output: omit --out", o.format)
	case o.flip != "" && !slices.Contains(scores.Ways, o.flip):
		return fmt.Errorf("--flip: unknown change %q: use %s", o.flip, cli.OneOf(scores.Ways))
	case o.by != scores.Attention && o.selected != (infer.Selection{}):
		return fmt.Errorf("--by %s: omit --%s, which is for attention", o.by, cli.Given(given, "layer", "head", "word"))
	}
	if _, err := scores.Lookup(o.by); err != nil {
		return fmt.Errorf("--by: %w", err)
	}
	for flag, n := range map[string][2]int{"layer": {o.selected.Layer, 1}, "head": {o.selected.Head, 1}, "limit": {o.limit, 0}} {
		if given(flag) && n[0] < n[1] {
			return fmt.Errorf("--%s %d: want %d or more", flag, n[0], n[1])
		}
	}
	if o.split != "" {
		return cli.Ending("out", o.out, ".jsonl", ".ndjson", ".json")
	}
	return nil
}
