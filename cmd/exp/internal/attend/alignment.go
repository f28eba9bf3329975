package attend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// translation draws how a translation looks at its source, or another of the model's
// attentions: of a text, or else of a typical test pair.
func translation(ctx context.Context, a *cli.App, run *runs.Run, m *translator.Model, words []string, o options) error {
	if err := o.fitsTranslation(); err != nil {
		return cli.Usage(err)
	}
	text, err := sentenceFor(a, run, words)
	if err != nil {
		return err
	}
	if o.steps {
		return translationSteps(ctx, a, run, m, text, o)
	}
	list, err := m.Translate(ctx, []string{text}, translator.Search{Align: true})
	if long, ok := errors.AsType[*translator.LongSentenceError](err); ok {
		return cli.Usage(fmt.Errorf("the text has %d words: give one sentence", long.Words))
	}
	if err != nil {
		return err
	}
	s := &list[0]
	if len(s.Source) == 0 {
		return cli.Usage(errors.New("there is no word in this text to translate"))
	}
	view, err := s.Align(o.of, o.look)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	switch {
	case o.given("format"):
		return writeLooks(a, s, o)
	case o.html != "":
		return writeAlignment(a, run, m, text, s, view, o)
	case o.out != "":
		return drawAlignment(a, run, m, text, view, o.out)
	}
	a.Say(fmt.Sprintf("%s: %s, weights of epoch %d, beam=%d", a.Headed(&run.Config), view.Of, m.Epoch, m.Beam()), "", "  ")
	a.Printf("\n%s\n%s\n\n", a.Wrap(term.Visible(sourceText(s)), "  ", "  "), a.Wrap(translated(s), "  ", "    "))
	a.Printf("%s", alignmentText(a.IO, view))
	if unknown := s.Unknown(); len(unknown) > 0 {
		a.Printf("\n%s\n", a.Wrap("Words that the run has not learned: "+modelview.Quoted(unknown), "  ", "  "))
	}
	return nil
}

// ofTranslations are the flags that a run that translates takes; all others are about
// reviews and their classes.
var ofTranslations = []string{"of", "layer", "head", "word", "html", "format", "out", "steps"}

// fitsTranslation refuses what a run that translates does not take.
func (o *options) fitsTranslation() error {
	var asked, taken []string
	for _, m := range modes {
		asked, taken = append(asked, m.Flags...), append(taken, m.Takes...)
	}
	others := slices.DeleteFunc(append(asked, taken...), func(f string) bool { return slices.Contains(ofTranslations, f) })
	if f := cli.Given(o.given, others...); f != "" {
		return fmt.Errorf("--%s is for runs that classify reviews: of one that translates the alignment of a sentence is drawn, exp attend RUN 'the red carpet'", f)
	}
	f := cli.Given(o.given, "layer", "head", "word", "html")
	switch {
	case o.of != "" && !slices.Contains(translator.Attentions, o.of):
		return fmt.Errorf("--of %s: use %s", o.of, cli.OneOf(translator.Attentions))
	case o.given("format") && o.format != "jsonl":
		return fmt.Errorf("--format %s is of --split: the attention of a sentence is written as jsonl", o.format)
	case o.given("format") && f != "":
		return fmt.Errorf("--format %s writes all layers and heads: leave out --%s", o.format, f)
	case o.html != "" && o.out != "":
		return errors.New("--html writes a page, --out a picture: one of them at a time")
	}
	return nil
}

func sourceText(s *translator.Sentence) string {
	var words []string
	for _, w := range s.Source {
		words = append(words, w.Word)
	}
	return strings.Join(words, " ")
}

// translated is a translation in a line, with its log-probability.
func translated(s *translator.Sentence) string {
	return fmt.Sprintf("%s (log-probability %.2f)", strings.Join(s.Words, " "), s.LogProb)
}

// sentenceFor returns the text given, standard input for -, or a test sentence of a
// handy length that the run translates right, where there is one.
func sentenceFor(a *cli.App, run *runs.Run, words []string) (string, error) {
	if len(words) == 1 && words[0] == "-" {
		text, err := cli.TypedText(a.IO)
		return strings.TrimSpace(text), err
	}
	if len(words) > 0 {
		return strings.Join(words, " "), nil
	}
	list, err := run.Translations()
	ask := "give a sentence, " + a.Command("attend", run.Label(), "the red carpet")
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w; %s", err, ask)
	case len(list) == 0:
		return "", fmt.Errorf("%s has translated no test pairs yet: %s", run.Label(), ask)
	}
	return modelview.TypicalPair(list).Source, nil
}
