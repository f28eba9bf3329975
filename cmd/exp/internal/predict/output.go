package predict

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// predicting is a running exp predict.
type predicting struct {
	*cli.App
	run      *infer.Trained
	model    *infer.Model
	o        options
	out      *bufio.Writer
	show     func(t infer.Input, a infer.Answer, label int) error
	onScreen bool // show is screen
	headed   bool // the names of the columns are written
	buf      []byte
	score    *labelScore
	count    tally
	start    time.Time
	looked   string // vectors used to look up words; "" for none
	absent   string // vectors that are not installed
	names    int    // width of the names on a terminal, which grows
}

// to sets the writer and the format of the output.
func (p *predicting) to(w io.Writer) {
	p.out = bufio.NewWriterSize(w, 1<<16)
	switch {
	case p.o.as == "jsonl":
		p.show = p.jsonLine
	case p.o.as == "" && p.o.out == "" && p.App.IO.Terminal():
		p.show, p.onScreen = p.screen, true
	default:
		p.show = p.tsvLine
	}
}

// header writes the column names before the first row. If the texts cannot be read, only
// the error is shown.
func (p *predicting) header() {
	if p.headed || p.onScreen || p.o.as == "jsonl" {
		return
	}
	p.headed = true
	p.out.Write(runs.AppendPredictionHeader(nil, p.model.Classes))
}

// write writes one prediction.
func (p *predicting) write(t infer.Input, a infer.Answer) error {
	label := p.score.class(t.Label)
	p.count.add(a)
	if label >= 0 {
		p.score.Add(label, a.Class, a.P)
	}
	return p.show(t, a, label)
}

// tsvLine writes a line as in predictions.tsv.
func (p *predicting) tsvLine(t infer.Input, a infer.Answer, label int) error {
	p.header()
	r := a.Prediction(t.ID, label)
	p.buf = runs.AppendPrediction(p.buf[:0], p.model.Classes, &r)
	_, err := p.out.Write(p.buf)
	return err
}

// jsonLine writes a JSON object on a line, without label and entropy if unknown.
func (p *predicting) jsonLine(t infer.Input, a infer.Answer, label int) error {
	line := struct {
		ID        string          `json:"id"`
		Label     string          `json:"label,omitempty"`
		Predicted string          `json:"predicted"`
		Words     int             `json:"words"`
		Unknown   int             `json:"unknown"`
		Entropy   *float32        `json:"entropy,omitempty"`
		P         json.RawMessage `json:"p"`
	}{ID: t.ID, Predicted: p.model.Classes[a.Class], Words: a.Words, Unknown: a.Unknown}
	if label >= 0 {
		line.Label = p.model.Classes[label]
	}
	if !math.IsNaN(float64(a.Entropy)) {
		line.Entropy = &a.Entropy
	}
	p.buf = append(p.buf[:0], '{') // a map would lose the order of the classes
	for c, v := range a.P {
		if c > 0 {
			p.buf = append(p.buf, ',')
		}
		name, err := json.Marshal(p.model.Classes[c])
		if err != nil {
			return err
		}
		p.buf = append(append(p.buf, name...), ':')
		p.buf = strconv.AppendFloat(p.buf, float64(v), 'g', -1, 32)
	}
	line.P = append(p.buf, '}')
	b := new(bytes.Buffer)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		return err
	}
	_, err := p.out.Write(b.Bytes())
	return err
}

// Widths on a terminal: names and classes are cut to maxName; a text is shown if there is
// room for minSnippet.
const (
	maxName    = 18
	minSnippet = 12
)

// screen writes a line for a terminal: name, class, probability, the label if it differs,
// and the beginning of the text.
func (p *predicting) screen(t infer.Input, a infer.Answer, label int) error {
	o := p.App.IO
	id := term.Cut(term.Visible(t.ID), maxName)
	p.names = max(p.names, term.Width(id))
	class := func(c int) string { return pad(term.Cut(term.Visible(p.model.Classes[c]), maxName), p.classWidth()) }
	head := pad(id, p.names) + "  " + o.Paint(term.Bold, class(a.Class)) + " " + modelview.RightAligned(format.Share(a.P[a.Class]), 6)
	switch {
	case label >= 0 && label != a.Class:
		head += "  label " + class(label)
	case label >= 0:
		head += strings.Repeat(" ", len("  label ")+p.classWidth())
	}
	room := o.Width() - term.Width(head) - 2
	if t.Text != "" && room >= minSnippet {
		head += "  " + p.snippet(t.Text, room)
	}
	_, err := p.out.WriteString(strings.TrimRight(head, " ") + "\n")
	return err
}

func (p *predicting) classWidth() int {
	n := 0
	for _, c := range p.model.Classes {
		n = max(n, min(term.Width(c), maxName))
	}
	return n
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-term.Width(text)))
}

// underlined returns the words of a text between blanks, those without a vector
// underlined.
func (p *predicting) underlined(text string) []string {
	var spans []modelview.Span
	for _, w := range p.model.Unknown(text) {
		spans = append(spans, modelview.Span{From: w.Start, To: w.End, Unknown: true})
	}
	return modelview.Pieces(text, spans, func(_ modelview.Span, shown string) string { return p.App.IO.Underline(shown) })
}

// snippet returns the beginning of a text with the given width.
func (p *predicting) snippet(text string, width int) string {
	var out strings.Builder
	for _, w := range p.underlined(text[:cutAt(text, 4*width)]) {
		if term.Width(out.String())+1+term.Width(w) > width-1 {
			out.WriteString("…")
			break
		}
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(w)
	}
	return out.String()
}

// cutAt returns where to cut a text after about n bytes: at a blank, or at its end.
func cutAt(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:n], ' '); i > 0 {
		return i
	}
	return len(text)
}
