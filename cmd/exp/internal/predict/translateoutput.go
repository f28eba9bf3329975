package predict

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/format"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/term"
	"imdbexp/report/stats"
)

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
		if t.top > 0 {
			t.show = t.rankLines
			t.out.WriteString("source\trank\ttranslation\tscore\tranked_by\n")
			return
		}
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

// rankLines writes a line for each of the best translations, with its rank and the number
// that the search ranks by.
func (t *translating) rankLines(s sentence) (err error) {
	for i, c := range s.ranked() {
		_, err = fmt.Fprintf(t.out, "%s\t%d\t%s\t%s\t%s\n", tsvEscape.Replace(s.Text), i+1, strings.Join(c.Words, " "),
			strconv.FormatFloat(c.LogProb, 'g', -1, 64), strconv.FormatFloat(c.Score, 'g', -1, 64))
	}
	return err
}

// ranked returns the best translations. A text without words has one empty translation.
func (s *sentence) ranked() []translator.Candidate {
	if len(s.Best) == 0 {
		return []translator.Candidate{s.Candidate}
	}
	return s.Best
}

// TranslationLine is a translation in a JSONL file.
type TranslationLine struct {
	ID          string   `json:"id,omitempty"`
	Source      string   `json:"source"`
	Translation string   `json:"translation"`
	Score       float64  `json:"score"`
	Unknown     []string `json:"unknown,omitempty"`
	Reference   string   `json:"reference,omitempty"`

	Best []RankedLine `json:"best,omitempty"` // with --top
}

// RankedLine is one of the best translations in a JSONL file.
type RankedLine struct {
	Translation string  `json:"translation"`
	Score       float64 `json:"score"`
	RankedBy    float64 `json:"ranked_by"`
}

// jsonLine writes a JSON object on a line, without name and reference if unknown.
func (t *translating) jsonLine(s sentence) error {
	line := TranslationLine{ID: s.ID, Source: s.Text, Translation: strings.Join(s.Words, " "), Score: s.LogProb, Unknown: s.Sentence.Unknown(), Reference: s.Label}
	if t.top > 0 {
		for _, c := range s.ranked() {
			line.Best = append(line.Best, RankedLine{strings.Join(c.Words, " "), c.LogProb, c.Score})
		}
	}
	e := json.NewEncoder(t.out)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}

// screen writes a sentence and below it its translations for a terminal: unknown words
// underlined, and the reference if it differs.
func (t *translating) screen(s sentence) error {
	var spans []modelview.Span
	for i, known := range s.Known {
		if !known {
			spans = append(spans, modelview.Span{From: s.Source[i].Start, To: s.Source[i].End, Unknown: true})
		}
	}
	source := modelview.Pieces(s.Text, spans, func(_ modelview.Span, shown string) string { return t.IO.Underline(shown) })
	width := t.TextWidth()
	fmt.Fprintln(t.out, term.WrapWords(source, width, "", "  "))
	var err error
	for i, c := range s.ranked() {
		text, first, scores := strings.Join(c.Words, " "), "  ", strconv.FormatFloat(c.LogProb, 'f', 2, 64)
		if t.top > 0 {
			first, scores = fmt.Sprintf("  %*d  ", len(strconv.Itoa(t.top)), i+1), fmt.Sprintf("%s, ranked by %.3f", scores, c.Score)
		}
		if i == 0 {
			text = t.IO.Paint(term.Bold, text)
		}
		words := append(strings.Fields(text), t.IO.Paint(term.Dim, scores))
		_, err = fmt.Fprintln(t.out, term.WrapWords(words, width, first, strings.Repeat(" ", len(first))))
	}
	if reference := strings.Join(t.model.Words(s.Label), " "); reference != "" && reference != strings.Join(s.Words, " ") {
		_, err = fmt.Fprintln(t.out, t.Wrap("reference: "+reference, "  ", "    "))
	}
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
	if t.compared == 0 {
		return
	}
	i, err := stats.Wilson(float64(t.exact), float64(t.compared))
	if err != nil {
		return // impossible with at least one sentence
	}
	text := fmt.Sprintf("exact match %.2f %% (95 %% interval %.2f–%.2f)", 100*float64(t.exact)/float64(t.compared), 100*i.Low, 100*i.High)
	if t.scored {
		text += fmt.Sprintf(", BLEU %.2f of the words", t.corpus.Score().BLEU)
	}
	say(fmt.Sprintf("%s, on %s with a reference", text, format.Counted(t.compared, "sentence")))
}
