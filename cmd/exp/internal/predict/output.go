package predict

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// predicting is a running exp predict.
type predicting struct {
	*cli.App
	run      *runs.Run
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
	trained  int  // of the reviews, training texts of the run
	absent   bool // the run's pretrained vectors are not installed
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
		ID        string             `json:"id"`
		Label     string             `json:"label,omitempty"`
		Predicted string             `json:"predicted"`
		Words     int                `json:"words"`
		Unknown   int                `json:"unknown"`
		Entropy   *float32           `json:"entropy,omitempty"`
		P         map[string]float32 `json:"p"`
	}{ID: t.ID, Predicted: p.model.Classes[a.Class], Words: a.Words, Unknown: a.Unknown, P: map[string]float32{}}
	if label >= 0 {
		line.Label = p.model.Classes[label]
	}
	if !math.IsNaN(float64(a.Entropy)) {
		line.Entropy = &a.Entropy
	}
	for c, v := range a.P {
		line.P[p.model.Classes[c]] = v
	}
	return writeLine(p.out, line)
}

// writeLine writes a value as JSON on a line.
func writeLine(w io.Writer, line any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}

// maxName is the width to which names and classes are cut on a terminal.
const maxName = 18

// screen writes a line for a terminal: name, class, probability, the label if it differs,
// and the beginning of the text.
func (p *predicting) screen(t infer.Input, a infer.Answer, label int) error {
	o := p.App.IO
	cut := func(text string) string { return term.Cut(term.Visible(text), maxName) }
	line := cut(t.ID) + "  " + o.Paint(term.Bold, cut(p.model.Classes[a.Class])) + " " + format.Share(a.P[a.Class])
	if label >= 0 && label != a.Class {
		line += "  label " + cut(p.model.Classes[label])
	}
	if room := o.Width() - term.Width(line) - 2; t.Text != "" && room > 1 {
		line += "  " + term.Cut(strings.Join(strings.Fields(modelview.Unbroken(term.Visible(t.Text))), " "), room)
	}
	_, err := p.out.WriteString(line + "\n")
	return err
}

// labelScore compares predictions with the labels of the input.
type labelScore struct {
	*stats.Scores
	labels
}

func newLabelScore(classes []string) *labelScore {
	return &labelScore{stats.NewScores(len(classes)), newLabels(classes)}
}

// lines describes how well the predictions fit the labels.
func (s *labelScore) lines() []string {
	out := s.notes()
	if s.N() == 0 {
		return out
	}
	i := stats.Wilson(float64(s.Right()), float64(s.N()))
	return append(out, fmt.Sprintf("accuracy %.2f %% (95 %% interval %.2f–%.2f), macro-F1 %.2f %%, expected calibration error %.2f %% (%d bins of equal width), Brier score %.4f, on %s with a label",
		100*s.Accuracy(), 100*i.Low, 100*i.High, report.MacroF1(s.Confusion), 100*s.ECE(), stats.ECEBins, s.Brier(), format.Counted(s.N(), "review")))
}

// tally counts the input and the predictions.
type tally struct {
	reviews, words, known, unknown int
	classes                        map[int]int // reviews predicted as each class
}

func (t *tally) add(a infer.Answer) {
	t.reviews++
	if t.classes == nil {
		t.classes = map[int]int{}
	}
	t.classes[a.Class]++
	t.words += a.Words
	t.known += a.Known
	t.unknown += a.Unknown
}

// summary writes a summary to standard error: texts read, accuracy.
func (p *predicting) summary() {
	say := func(text string) { fmt.Fprintln(p.App.IO.Err, p.App.Wrap(text, "", "  ")) }
	c := p.count
	if p.App.IO.Terminal() {
		say("")
	}
	say(spent(c.reviews, "review", c.words, p.start))
	if shares := p.shares(); shares != "" {
		say(shares)
	}
	if all := c.known + c.unknown; c.unknown > 0 {
		lack, alike := "without a vector", ": the model cannot distinguish them, so these predictions mean little"
		if p.model.Scorer() != nil {
			lack, alike = "missing or too rare in train", ": the model ignores them"
		}
		text := fmt.Sprintf("words %s: %s, %.1f %% of all", lack, format.Thousands(c.unknown), 100*float64(c.unknown)/float64(all))
		if p.absent {
			text += fmt.Sprintf("; some may have one in %s, which is not installed", infer.Pretrained(&p.run.Config))
		}
		if 2*c.unknown >= all {
			text += alike
		}
		say(text)
	}
	if n := p.model.Found(); n > 0 {
		say(fmt.Sprintf("%s new to the run: looked up in %s", format.Counted(n, "word"), infer.Pretrained(&p.run.Config)))
	}
	for _, line := range p.score.lines() {
		say(line)
	}
	warnTrained(p.App, p.trained, c.reviews, "review")
}

// warnTrained warns if a model was trained on n of the texts.
func warnTrained(a *cli.App, n, texts int, what string) {
	if n > 0 {
		a.Warn(fmt.Errorf("%s of %s are training texts of the run: results on them say little about new texts", format.Thousands(n), format.Counted(texts, what)))
	}
}

// spent describes how many texts were read, and how fast.
func spent(n int, what string, words int, start time.Time) string {
	took := time.Since(start).Seconds()
	text := fmt.Sprintf("%s, %s, in %s", format.Counted(n, what), format.Counted(words, "word"), format.Clock(took))
	if rate := float64(n) / took; took > 0.1 && rate >= 1 {
		text += fmt.Sprintf(" (%s a second)", format.Thousands(int(rate)))
	}
	return text
}

// shares describes how many reviews are predicted as each class, the most frequent first.
func (p *predicting) shares() string {
	const shown = 5
	if p.count.reviews == 0 {
		return ""
	}
	order := slices.Sorted(maps.Keys(p.count.classes))
	slices.SortStableFunc(order, func(a, b int) int { return p.count.classes[b] - p.count.classes[a] })
	var list []string
	for _, c := range order[:min(shown, len(order))] {
		list = append(list, fmt.Sprintf("%s %.1f %%", term.Visible(p.model.Classes[c]), 100*float64(p.count.classes[c])/float64(p.count.reviews)))
	}
	if len(order) > shown {
		list = append(list, "…")
	}
	return "predicted: " + strings.Join(list, ", ")
}
