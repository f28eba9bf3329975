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

// translation shows the attention of a translation to its source, or another attention of
// the model, for the given text or for a typical test pair.
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
		return cli.Usage(errors.New("the text has no words to translate"))
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
		a.Printf("\n%s\n", a.Wrap("Words unknown to the run: "+modelview.Quoted(unknown), "  ", "  "))
	}
	return nil
}

// ofTranslations are the flags for runs that translate; all others are for reviews.
var ofTranslations = []string{"of", "layer", "head", "word", "html", "format", "out", "no-title", "steps"}

// fitsTranslation refuses flags that runs that translate do not have.
func (o *options) fitsTranslation() error {
	var asks, takes []string
	for _, m := range modes {
		asks, takes = append(asks, m.Flags...), append(takes, m.Takes...)
	}
	others := slices.DeleteFunc(append(asks, takes...), func(f string) bool { return slices.Contains(ofTranslations, f) })
	if f := cli.Given(o.given, others...); f != "" {
		return fmt.Errorf("--%s is for runs that classify reviews; for a run that translates use exp attend RUN 'the red carpet'", f)
	}
	f := cli.Given(o.given, "layer", "head", "word", "html")
	switch {
	case o.of != "" && !slices.Contains(translator.Attentions, o.of):
		return fmt.Errorf("--of %s: use %s", o.of, cli.OneOf(translator.Attentions))
	case o.given("format") && o.format != "jsonl":
		return fmt.Errorf("--format %s is for --split; the attention of a sentence is written as jsonl", o.format)
	case o.given("format") && f != "":
		return fmt.Errorf("--format %s writes all layers and heads: leave out --%s", o.format, f)
	case o.html != "" && o.out != "":
		return errors.New("--html writes a page and --out a picture: use one of them")
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

// translated returns a translation with its log-probability.
func translated(s *translator.Sentence) string {
	return fmt.Sprintf("%s (log-probability %.2f)", strings.Join(s.Words, " "), s.LogProb)
}

// sentenceFor returns the given text, standard input for -, or a typical test sentence.
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
		return "", fmt.Errorf("%s has not translated test pairs yet: %s", run.Label(), ask)
	}
	return modelview.TypicalPair(list).Source, nil
}
