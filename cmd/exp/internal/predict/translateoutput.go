package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"imdbexp/internal/term"
	"imdbexp/report/stats"
)

// to says where the translations go and in which form.
func (t *translating) to(w io.Writer, o predictOptions) {
	t.out = bufio.NewWriterSize(w, 1<<16)
	switch {
	case o.as == "jsonl":
		t.show = t.jsonLine
	case o.as == "" && o.out == "" && t.io.Terminal():
		t.show = t.screen
	default:
		t.show = t.tsvLine
		t.out.WriteString("source\ttranslation\tscore\n")
	}
}

// tsvEscape keeps a field in its place; a sentence has no line breaks.
var tsvEscape = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

// tsvLine is source, translation and log-probability.
func (t *translating) tsvLine(s sentence) error {
	_, err := fmt.Fprintf(t.out, "%s\t%s\t%s\n", tsvEscape.Replace(s.Text), strings.Join(s.Words, " "), strconv.FormatFloat(s.LogProb, 'g', -1, 64))
	return err
}

// translationLine is a translation in a JSONL file.
type translationLine struct {
	ID          string   `json:"id,omitempty"`
	Source      string   `json:"source"`
	Translation string   `json:"translation"`
	Score       float64  `json:"score"`
	Unknown     []string `json:"unknown,omitempty"`
	Reference   string   `json:"reference,omitempty"`
}

// jsonLine is an object on a line; the name and what belongs to a reference are left
// out where there is none.
func (t *translating) jsonLine(s sentence) error {
	line := translationLine{ID: s.ID, Source: s.Text, Translation: strings.Join(s.Words, " "), Score: s.LogProb, Unknown: s.Sentence.Unknown(), Reference: s.Label}
	e := json.NewEncoder(t.out)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}

// screen is a sentence and below it its translation, for people: words that the run
// does not know underlined, and the reference where it is another.
func (t *translating) screen(s sentence) error {
	var spans []span
	for i, known := range s.Known {
		if !known {
			spans = append(spans, span{from: s.Source[i].Start, to: s.Source[i].End, unknown: true})
		}
	}
	source := pieces(s.Text, spans, func(_ span, shown string) string { return t.io.Underline(shown) })
	width := t.textWidth()
	fmt.Fprintln(t.out, term.WrapWords(source, width, "", "  "))
	words := strings.Fields(t.io.Paint(term.Bold, strings.Join(s.Words, " ")))
	words = append(words, t.io.Paint(term.Dim, strconv.FormatFloat(s.LogProb, 'f', 2, 64)))
	_, err := fmt.Fprintln(t.out, term.WrapWords(words, width, "  ", "  "))
	if reference := strings.Join(t.model.Words(s.Label), " "); reference != "" && reference != strings.Join(s.Words, " ") {
		_, err = fmt.Fprintln(t.out, t.wrap("reference: "+reference, "  ", "    "))
	}
	return err
}

// quotedWords lists words, of which a comma may be one, each once.
func quotedWords(words []string) string {
	var out []string
	for _, w := range words {
		if q := strconv.Quote(shorten(w)); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return strings.Join(out, ", ")
}

// summary tells on standard error what was read and how well it went.
func (t *translating) summary() {
	say := func(text string) { fmt.Fprintln(t.io.Err, t.wrap(text, "", "  ")) }
	if t.io.Terminal() {
		say("")
	}
	took := time.Since(t.start).Seconds()
	text := fmt.Sprintf("%s %s, %s %s, in %s", thousands(t.sentences), counted(t.sentences, "sentence"), thousands(t.words), counted(t.words, "word"), clock(took))
	if rate := float64(t.sentences) / took; took > 0.1 && rate >= 1 {
		text += fmt.Sprintf(" (%s a second)", thousands(int(rate)))
	}
	say(text)
	if t.unknown > 0 {
		more := ""
		if t.unknown > len(t.examples) {
			more = ", …"
		}
		say(fmt.Sprintf("words that the run has not learned: %s, %.1f %% of all: %s%s", thousands(t.unknown),
			100*float64(t.unknown)/float64(t.words), quotedWords(t.examples), more))
	}
	if t.compared == 0 {
		return
	}
	i, err := stats.Wilson(float64(t.exact), float64(t.compared))
	if err != nil {
		return // there are sentences: it cannot be
	}
	text = fmt.Sprintf("exact match %.2f %% (95 %% interval %.2f–%.2f)", 100*float64(t.exact)/float64(t.compared), 100*i.Low, 100*i.High)
	if t.scored {
		text += fmt.Sprintf(", BLEU %.2f of the words", t.corpus.Score().BLEU)
	}
	say(fmt.Sprintf("%s, on %s %s with a reference", text, thousands(t.compared), counted(t.compared, "sentence")))
}
