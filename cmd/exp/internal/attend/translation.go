package attend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/term"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

// translation shows the attention of a translation to its source, or another attention of
// the model, for the given text or for a typical test pair.
func translation(ctx context.Context, a *cli.App, run *runs.Run, m *translator.Model, words []string, o options) error {
	if f := cli.Given(o.given, "words", "word", "split", "steps", "dots", "spread", "review", "by", "flip", "limit"); f != "" {
		return cli.Usagef("--%s is for runs that classify reviews; for a run that translates use exp attend RUN 'the red carpet'", f)
	}
	text, err := sentenceFor(a, run, words)
	if err != nil {
		return err
	}
	list, err := m.Translate(ctx, []infer.Input{{Text: text}}, translator.Search{Align: true})
	if err != nil {
		return err
	}
	s := &list[0]
	if len(s.Source) == 0 {
		return cli.Usagef("the text has no words to translate")
	}
	view, err := s.Align(o.selected)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	switch {
	case o.out != "":
		return drawAlignment(a, run, m, text, view, o.out)
	case o.format != "text":
		return cli.WriteJSON(a.Verbatim(), Aligned{infer.Texts(s.Source), s.Words, s.LogProb, view})
	}
	a.Say(fmt.Sprintf("%s: %s, weights of epoch %d, beam=%d", a.Headed(&run.Config), view.Of, m.Epoch, m.Beam()))
	source, translated := strings.Join(infer.Texts(s.Source), " "), strings.Join(s.Words, " ")
	a.Printf("\n%s\n%s\n\n", a.Wrap(term.Visible(source), "  ", "  "), a.Wrap(fmt.Sprintf("%s (log-probability %.2f)", translated, s.LogProb), "  ", "    "))
	printAlignment(a.IO, view)
	if unknown := s.Unknown(); len(unknown) > 0 {
		a.Printf("\n%s\n", a.Wrap("Words unknown to the run: "+modelview.Quoted(unknown), "  ", "  "))
	}
	return nil
}

// sentenceFor returns the given text, standard input for -, or a typical test sentence.
func sentenceFor(a *cli.App, run *runs.Run, words []string) (string, error) {
	if len(words) > 0 {
		text, err := cli.TypedText(a.IO, words)
		return strings.TrimSpace(text), err
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

// printAlignment prints an alignment: a row for each word of the translation, a column for each word
// of the source. A weight is a number of tenths and, with colour, a shade.
func printAlignment(o *term.IO, a translator.Alignment) {
	t := &term.Table{Columns: []term.Column{{}}, Divides: true}
	for _, w := range a.Columns {
		t.Columns = append(t.Columns, term.Right(term.Visible(w)))
	}
	for i, row := range a.Weights {
		cells := []string{term.Visible(a.Rows[i])}
		for _, w := range row {
			cell := o.Paint(term.Dim, "·")
			if w >= 0.05 {
				cell = strconv.Itoa(min(9, int(10*w)))
			}
			if w >= 0.05 && o.Color() {
				cell = o.Shade(w, " "+cell+" ")
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
	}
	t.Text(o, "  ")
	o.Printf("\n")
	o.SayIndented("weights in tenths, · below 0.05", "  ", "    ")
}

// Aligned is a translation with an alignment in --format json.
type Aligned struct {
	Source      []string `json:"source"`
	Translation []string `json:"translation"`
	Score       float64  `json:"score"` // log-probability in nats
	translator.Alignment
}

func drawAlignment(a *cli.App, run *runs.Run, m *translator.Model, text string, v translator.Alignment, out string) error {
	const widestTitle = 160 // columns; the axis has all words
	matrix := chart.Matrix{
		Title: v.Of, X: "source", Y: "translation", Rows: len(v.Rows), Cols: len(v.Columns),
		Words: v.Columns, RowWords: v.Rows, High: 1, At: func(i, j int) float64 { return v.Weights[i][j] },
	}
	f, err := chart.Heatmaps("alignment-"+run.Label(), "Alignment: "+term.Cut(term.Visible(text), widestTitle),
		fmt.Sprintf("%s · %s · weights of epoch %d · beam=%d · each row adds up to one", run.Label(), a.Names().About(&run.Config), m.Epoch, m.Beam()), matrix)
	if err != nil {
		return err
	}
	grown := vg.Length(min(1.8, max(1.15, float64(max(len(v.Rows), len(v.Columns)))/12))) // room for the words of long sentences
	f.Size.Width, f.Size.Height = grown*f.Size.Width, grown*f.Size.Height
	return a.WritePicture(f, out, "Each row is a word of the translation and its attention to the source: the darker a cell, the more of it falls on that word.")
}
