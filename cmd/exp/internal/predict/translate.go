package predict

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/tables"
	"imdbexp/internal/bleu"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/runs"
)

// translating is a running exp predict of a run that translates.
type translating struct {
	*cli.App
	model *translator.Model
	show  func(sentence) error
	out   *bufio.Writer
	top   int  // translations of each sentence with their ranks; 0 prints only the best
	begun bool // a line has been read

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
	if f := cli.Given(o.given, "format", "text-column", "label-column", "id-column", "no-lookup"); f != "" {
		return cli.Usage(fmt.Errorf("--%s is for runs that classify reviews; a file to translate has one sentence a line, with an optional reference after a tab", f))
	}
	fmt.Fprintln(a.IO.Err, a.Wrap(fmt.Sprintf("%s (%s): weights of epoch %d", run.Label(), a.Names().About(&run.Config), m.Epoch), "", "  "))
	if o.beam == 0 && o.top > m.Beam() {
		fmt.Fprintln(a.IO.Err, a.Wrap(fmt.Sprintf("beam=%d for the %[1]d best instead of the run's beam=%d; the first may differ from the run's own translation", o.top, m.Beam()), "", "  "))
	}
	t := &translating{App: a, model: m, top: o.top, start: time.Now()}
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
	return t.model.Stream(ctx, translator.Search{Beam: o.beam, Top: o.top}, func(ctx context.Context, yield func(infer.Input) error) error {
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
	return t.model.Stream(ctx, translator.Search{Beam: o.beam, Top: o.top}, func(_ context.Context, yield func(infer.Input) error) error {
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
