package attend

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
)

// options are the flags of exp attend.
type options struct {
	reviews     []string
	surestWrong int
	look        infer.Look
	by          string // score to show
	flip        string // one of scores.Ways; "": do not flip
	of          string // of a run that translates: one of translator.Attentions, "" for that to the source
	top         int

	words    bool
	minCount int
	split    string
	format   string
	out      string
	steps    bool
	spread   bool
	limit    int // of --spread

	given func(flag string) bool
}

// usualRows is how many words the table of a review has.
const usualRows = 10

// register adds the flags.
func (o *options) register(a *cli.App, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.reviews, "review", nil, "`ID` of a review of the run's data, such as test/pos/0_10; may be repeated")
	f.IntVar(&o.surestWrong, "surest-wrong", 0, "the `N` surest wrong test reviews")
	f.StringVar(&o.by, "by", scores.Attention, "`SCORE` of the words to show: "+cli.OneOf(scores.Names()))
	f.StringVar(&o.flip, "flip", "", "find the fewest words that change the answer, by `WAY`: "+cli.OneOf(scores.Ways))
	f.Lookup("flip").NoOptDefVal = scores.Ways[0]
	f.StringVar(&o.of, "of", "", "for translations: attention `WHAT`, "+cli.OneOf(translator.Attentions)+" (default: source)")
	f.IntVar(&o.look.Layer, "layer", 0, "layer `L` of attention, from 1 (default: the last)")
	f.IntVar(&o.look.Head, "head", 0, "head `H` of that layer, from 1 (default: the mean of all)")
	f.StringVar(&o.look.Word, "word", "", "attention of this `WORD`: the word, its place from 1, or [CLS]")
	f.IntVar(&o.top, "top", usualRows, "rows `N` of the table of words")
	f.BoolVar(&o.words, "words", false, "the attention of each word over the whole test set")
	f.IntVar(&o.minCount, "min-count", 20, "with --words: omit words that occur fewer than `N` times")
	f.StringVar(&o.split, "split", "", "write the weights of all reviews of a `SPLIT`, test or train, as JSON lines")
	f.StringVar(&o.out, "out", "", "`FILE` of --split (default: standard output), or the picture of a text or an alignment: .png, .svg")
	f.BoolVar(&o.steps, "steps", false, "print scores, softmax and weighted values of a short text")
	f.BoolVar(&o.spread, "spread", false, "print the variance of the scores of each layer and head, and how sharp their softmax is")
	f.IntVar(&o.limit, "limit", usualSpread, "with --spread: only the first `N` reviews of each class; 0 for all")
	cli.FormatFlag(cmd, &o.format, []string{"text", "json", "tsv"})
	a.TitleFlag(cmd)
	cmd.MarkFlagFilename("out")
	cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(scores.Names(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("of", cobra.FixedCompletions(translator.Attentions, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("split", cobra.FixedCompletions(splitNames, cobra.ShellCompDirectiveNoFileComp))
}

// modes are what exp attend can do; by default it shows texts.
var modes = []cli.Mode{
	{Takes: slices.Concat(ofTexts, []string{"by", "flip", "of", "layer", "head", "out", "no-title", "top", "format"})},
	{Flags: []string{"words"}, Takes: []string{"layer", "head", "min-count", "top", "format"}},
	{Flags: []string{"split"}, Takes: []string{"layer", "head", "by", "out"}},
	{Flags: []string{"steps"}, Takes: slices.Concat(ofTexts, []string{"layer", "head"})},
	{Flags: []string{"spread"}, Takes: []string{"limit", "format"}},
}

// picks are the flags that choose reviews; ofTexts also those about single texts.
var (
	picks   = []string{"review", "surest-wrong"}
	ofTexts = append(slices.Clone(picks), "word")
)

// check refuses wrong flags and combinations; words are the text.
func (o *options) check(words []string, given func(string) bool) error {
	if err := cli.CheckModes(given, modes); err != nil {
		return err
	}
	switch split := cli.Given(given, "words", "split", "spread"); {
	case len(words) > 0 && cli.Given(given, picks...) != "":
		return errors.New("give either a text, or reviews with --review or --surest-wrong")
	case len(words) > 0 && split != "":
		return fmt.Errorf("--%s covers a whole split: leave out the text", split)
	case o.steps && len(words) == 0 && len(o.reviews) == 0:
		return errors.New("--steps needs a short text: exp attend RUN --steps 'not a great film'")
	case given("split") && !slices.Contains(splitNames, o.split):
		return fmt.Errorf("--split %s: use test or train", o.split)
	case o.format != "text" && o.out != "":
		return fmt.Errorf("--format %s goes to the standard output: leave out --out", o.format)
	}
	if _, err := scores.Lookup(o.by); err != nil {
		return fmt.Errorf("--by: %w", err)
	}
	if o.flip != "" && !slices.Contains(scores.Ways, o.flip) {
		return fmt.Errorf("--flip: unknown change %q: use %s", o.flip, cli.OneOf(scores.Ways))
	}
	if o.by != scores.Attention && o.look != (infer.Look{}) {
		return fmt.Errorf("--by %s: leave out --%s, which is for attention", o.by, cli.Given(given, "layer", "head", "word"))
	}
	for flag, n := range map[string][2]int{"surest-wrong": {o.surestWrong, 1}, "layer": {o.look.Layer, 1}, "head": {o.look.Head, 1},
		"top": {o.top, 0}, "min-count": {o.minCount, 1}, "limit": {o.limit, 0}} {
		if given(flag) && n[0] < n[1] {
			return fmt.Errorf("--%s %d: want %d or more", flag, n[0], n[1])
		}
	}
	if o.split != "" {
		return cli.Ending("out", o.out, ".jsonl", ".ndjson", ".json")
	}
	return nil
}
