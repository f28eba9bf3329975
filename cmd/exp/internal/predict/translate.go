package predict

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/tables"
	"imdbexp/internal/bleu"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/term"
	"imdbexp/report/stats"
)

// translating translates sentences.
type translating struct {
	*output
	model *translator.Model
	begun bool // a line has been read

	examples []string // of unknown words, each once
	compared int      // sentences that came with a reference
	exact    int      // of these, equal to it
	corpus   bleu.Corpus
	scored   bool // by BLEU: a reference has an n-gram of each length
}

// maxBeam is the largest beam width.
const maxBeam = 64

// mostExamples is the max number of unknown words to print.
const mostExamples = 8

// file translates one sentence a line. A reference can follow after a tab.
func (t *translating) file(ctx context.Context, name string) error {
	return t.stream(ctx, func(ctx context.Context, yield func(infer.Input) error) error {
		options := tables.Options{Asked: true, Format: tables.Plain}
		_, err := records(ctx, t.IO, name, "sentences", options, func(r tables.Record) error {
			source, reference, tab := strings.Cut(r.Text, "\t")
			reference, _, _ = strings.Cut(reference, "\t")
			first := !t.begun
			t.begun = true
			exported := tab && strings.EqualFold(source, "source") && strings.EqualFold(reference, "target")
			if header := t.o.columns.Header; first && (header == "yes" || exported && header == "") {
				return nil
			}
			return yield(infer.Input{Text: source, Label: strings.TrimSpace(reference), Where: r.Where}) // spaces are no reference
		})
		return err
	})
}

// data translates the test pairs of a data set.
func (t *translating) data(ctx context.Context, name string) error {
	dir, err := t.Installed()
	if err != nil {
		return err
	}
	_, test, err := folder.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	if n := t.limit(name); n > 0 {
		test = test[:min(n, len(test))]
	}
	return t.stream(ctx, func(_ context.Context, yield func(infer.Input) error) error {
		for _, p := range test {
			if err := yield(infer.Input{ID: p.ID, Text: p.Source, Label: p.Target, Where: p.ID}); err != nil {
				return err
			}
		}
		return nil
	})
}

// stream translates the sentences that read reads; their Label is the reference, if known.
func (t *translating) stream(ctx context.Context, read infer.Source) error {
	if !t.screen {
		t.out.WriteString("source\ttranslation\tscore\n")
	}
	return t.model.Stream(ctx, translator.Search{Beam: t.o.beam}, read, func(texts []infer.Input, list []translator.Sentence) error {
		for i, s := range list {
			t.count(texts[i], s)
			if err := t.write(texts[i], s); err != nil {
				return err
			}
		}
		return t.out.Flush()
	})
}

func (t *translating) count(in infer.Input, s translator.Sentence) {
	t.texts++
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

// tsvEscape removes tabs and line breaks from a field.
var tsvEscape = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

// write writes a translation.
func (t *translating) write(in infer.Input, s translator.Sentence) error {
	translation := strings.Join(s.Words, " ")
	if t.screen { // the sentence, below it its translation, and the reference if it differs
		lines := []string{t.Wrap(term.Visible(in.Text), "", "  "), t.Wrap(fmt.Sprintf("%s (%.2f)", t.Paint(term.Bold, translation), s.LogProb), "  ", "    ")}
		if reference := strings.Join(t.model.Words(in.Label), " "); reference != "" && reference != translation {
			lines = append(lines, t.Wrap("reference: "+reference, "  ", "    "))
		}
		_, err := fmt.Fprintln(t.out, strings.Join(lines, "\n"))
		return err
	}
	_, err := fmt.Fprintf(t.out, "%s\t%s\t%s\n", tsvEscape.Replace(in.Text), translation, strconv.FormatFloat(s.LogProb, 'g', -1, 64))
	return err
}

// summary writes a summary to standard error: sentences read, BLEU.
func (t *translating) summary() {
	t.Complain(t.spent("sentence"))
	if t.unknown > 0 {
		more := ""
		if t.unknown > len(t.examples) {
			more = ", …"
		}
		t.Complain(fmt.Sprintf("words unknown to the run: %s, %.1f %% of all: %s%s", format.Thousands(t.unknown),
			100*float64(t.unknown)/float64(t.words), modelview.Quoted(t.examples), more))
	}
	if t.compared == 0 {
		return
	}
	i := stats.Wilson(float64(t.exact), float64(t.compared))
	text := fmt.Sprintf("exact match %.2f %% (95 %% interval %.2f–%.2f)", 100*float64(t.exact)/float64(t.compared), 100*i.Low, 100*i.High)
	if t.scored {
		text += fmt.Sprintf(", BLEU %.2f of the words", t.corpus.Score().BLEU)
	}
	t.Complain(fmt.Sprintf("%s, on %s with a reference", text, format.Counted(t.compared, "sentence")))
}
