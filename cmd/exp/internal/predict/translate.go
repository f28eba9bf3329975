package predict

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/tables"
	"imdbexp/internal/bleu"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/term"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// translating is a running exp predict of a run that translates.
type translating struct {
	*cli.App
	model *translator.Model
	show  func(sentence) error
	out   *bufio.Writer
	begun bool // a line has been read

	training map[string]bool // the source sentences that the run was trained on, by their words
	trained  int             // of the sentences read

	start     time.Time
	sentences int
	words     int
	unknown   int
	examples  []string // of unknown words, each once
	compared  int      // sentences that came with a reference
	exact     int      // of these
	corpus    bleu.Corpus
	scored    bool // by BLEU: a reference has an n-gram of each length
}

// sentence is a text with its translation and, if known, its reference.
type sentence struct {
	infer.Input // Label is the reference
	translator.Sentence
}

// maxBeam is the largest beam width.
const maxBeam = 64

// mostExamples is how many unknown words are named.
const mostExamples = 8

// translateAll translates a file, standard input (-) or the test pairs of data=NAME.
func translateAll(ctx context.Context, a *cli.App, run *runs.Run, m *translator.Model, input string, o options) error {
	if f := cli.Given(o.given, "format", "text-column", "label-column", "id-column"); f != "" {
		return cli.Usage(fmt.Errorf("--%s is for runs that classify reviews; a file to translate has one sentence a line, with an optional reference after a tab", f))
	}
	fmt.Fprintln(a.IO.Err, a.Wrap(fmt.Sprintf("%s (%s): weights of epoch %d", run.Label(), a.Names().About(&run.Config), m.Epoch), "", "  "))
	t := &translating{App: a, model: m, start: time.Now(), training: map[string]bool{}}
	if dir, err := a.Installed(); err == nil {
		train, _, _ := folder.PairTexts(ctx, dir, run.Config.Data.Name, nil) // none if they are not installed
		if n := run.Config.General().Limit; n > 0 {
			train = train[:min(n, len(train))]
		}
		for _, p := range train {
			t.training[strings.Join(m.Words(p.Source), " ")] = true
		}
	}
	work := func(w io.Writer) error {
		t.to(w, o)
		read := func() error { return t.lines(ctx, input, o) }
		if name, data := strings.CutPrefix(input, "data="); data {
			read = func() error { return t.pairs(ctx, run, name, o) }
		}
		if err := read(); err != nil {
			return err
		}
		return t.out.Flush() // the header, if there is no line
	}
	if err := cli.WriteTo(a.IO, o.out, work); err != nil {
		return err
	}
	t.summary()
	return nil
}

// lines translates one sentence a line. A reference can follow after a tab.
func (t *translating) lines(ctx context.Context, name string, o options) error {
	return t.model.Stream(ctx, translator.Search{Beam: o.beam}, func(ctx context.Context, yield func(infer.Input) error) error {
		options := tables.Options{Asked: true, Format: tables.Plain, Encoding: o.columns.Encoding}
		_, err := records(ctx, t.IO, name, "sentences", options, func(r tables.Record) error {
			fields := strings.Split(r.Text, "\t")
			first := !t.begun
			t.begun = true
			exported := len(fields) > 1 && strings.EqualFold(fields[0], "source") && strings.EqualFold(fields[1], "target")
			if header := o.columns.Header; first && (header == "yes" || exported && header == "") {
				return nil
			}
			in := infer.Input{Text: fields[0], Where: r.Where}
			if len(fields) > 1 {
				in.Label = strings.TrimSpace(fields[1]) // blanks are no reference
			}
			return yield(in)
		})
		return err
	}, t.write)
}

// pairs translates the test pairs of a data set.
func (t *translating) pairs(ctx context.Context, run *runs.Run, name string, o options) error {
	dir, err := t.Installed()
	if err != nil {
		return err
	}
	limit := o.limit
	if name == run.Config.Data.Name && !o.given("limit") {
		limit = run.Config.General().Limit
	}
	_, test, err := folder.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	if limit > 0 {
		test = test[:min(limit, len(test))]
	}
	return t.model.Stream(ctx, translator.Search{Beam: o.beam}, func(_ context.Context, yield func(infer.Input) error) error {
		for _, p := range test {
			if err := yield(infer.Input{ID: p.ID, Text: p.Source, Label: p.Target, Where: p.ID}); err != nil {
				return err
			}
		}
		return nil
	}, t.write)
}

// write writes some translations and counts them.
func (t *translating) write(texts []infer.Input, list []translator.Sentence) error {
	for i, s := range list {
		t.count(texts[i], s)
		if err := t.show(sentence{texts[i], s}); err != nil {
			return err
		}
	}
	return t.out.Flush()
}

func (t *translating) count(in infer.Input, s translator.Sentence) {
	t.sentences++
	t.words += len(s.Source)
	if t.training[strings.Join(t.model.Words(in.Text), " ")] {
		t.trained++
	}
	for _, w := range s.Unknown() {
		t.unknown++
		if len(t.examples) < mostExamples && !slices.Contains(t.examples, w) {
			t.examples = append(t.examples, w)
		}
	}
	if in.Label == "" {
		return
	}
	reference := t.model.Words(in.Label)
	t.compared++
	t.corpus.Add(s.Words, reference)
	t.scored = t.scored || len(reference) >= bleu.Order
	if slices.Equal(s.Words, reference) {
		t.exact++
	}
}

// to sets the writer and the format of the output.
func (t *translating) to(w io.Writer, o options) {
	t.out = bufio.NewWriterSize(w, 1<<16)
	switch {
	case o.as == "jsonl":
		t.show = t.jsonLine
	case o.as == "" && o.out == "" && t.IO.Terminal():
		t.show = t.screen
	default:
		t.show = t.tsvLine
		t.out.WriteString("source\ttranslation\tscore\n")
	}
}

// tsvEscape removes tabs and line breaks from a field.
var tsvEscape = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

// tsvLine writes source, translation and log-probability.
func (t *translating) tsvLine(s sentence) error {
	_, err := fmt.Fprintf(t.out, "%s\t%s\t%s\n", tsvEscape.Replace(s.Text), strings.Join(s.Words, " "), strconv.FormatFloat(s.LogProb, 'g', -1, 64))
	return err
}

// TranslationLine is a translation in a JSONL file.
type TranslationLine struct {
	ID          string   `json:"id,omitempty"`
	Source      string   `json:"source"`
	Translation string   `json:"translation"`
	Score       float64  `json:"score"`
	Unknown     []string `json:"unknown,omitempty"`
	Reference   string   `json:"reference,omitempty"`
}

// jsonLine writes a JSON object on a line, without name and reference if unknown.
func (t *translating) jsonLine(s sentence) error {
	return writeLine(t.out, TranslationLine{ID: s.ID, Source: s.Text, Translation: strings.Join(s.Words, " "), Score: s.LogProb, Unknown: s.Sentence.Unknown(), Reference: s.Label})
}

// screen writes a sentence and below it its translation for a terminal, and the reference if it
// differs.
func (t *translating) screen(s sentence) error {
	translation := strings.Join(s.Words, " ")
	lines := []string{t.Wrap(term.Visible(s.Text), "", "  "), t.Wrap(fmt.Sprintf("%s (%.2f)", t.IO.Paint(term.Bold, translation), s.LogProb), "  ", "    ")}
	if reference := strings.Join(t.model.Words(s.Label), " "); reference != "" && reference != translation {
		lines = append(lines, t.Wrap("reference: "+reference, "  ", "    "))
	}
	_, err := fmt.Fprintln(t.out, strings.Join(lines, "\n"))
	return err
}

// summary writes a summary to standard error: sentences read, BLEU.
func (t *translating) summary() {
	say := func(text string) { fmt.Fprintln(t.IO.Err, t.Wrap(text, "", "  ")) }
	if t.IO.Terminal() {
		say("")
	}
	say(spent(t.sentences, "sentence", t.words, t.start))
	if t.unknown > 0 {
		more := ""
		if t.unknown > len(t.examples) {
			more = ", …"
		}
		say(fmt.Sprintf("words unknown to the run: %s, %.1f %% of all: %s%s", format.Thousands(t.unknown),
			100*float64(t.unknown)/float64(t.words), modelview.Quoted(t.examples), more))
	}
	defer warnTrained(t.App, t.trained, t.sentences, "sentence")
	if t.compared == 0 {
		return
	}
	i := stats.Wilson(float64(t.exact), float64(t.compared))
	text := fmt.Sprintf("exact match %.2f %% (95 %% interval %.2f–%.2f)", 100*float64(t.exact)/float64(t.compared), 100*i.Low, 100*i.High)
	if t.scored {
		text += fmt.Sprintf(", BLEU %.2f of the words", t.corpus.Score().BLEU)
	}
	say(fmt.Sprintf("%s, on %s with a reference", text, format.Counted(t.compared, "sentence")))
}
