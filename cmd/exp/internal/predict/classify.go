package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/tables"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// predicting predicts the classes of reviews.
type predicting struct {
	*output
	model   *infer.Model
	score   *labelScore
	headed  bool        // the names of the columns are written
	known   int         // words with a vector
	classes map[int]int // reviews predicted as each class
	absent  bool        // the run's pretrained vectors are not installed
	trained int         // texts that are training texts of the run
	buf     []byte
}

func (p *predicting) file(ctx context.Context, name string) error {
	p.absent = modelview.LookUp(ctx, p.App, &p.run.Config, p.model)
	if p.model.BatchDependent() {
		p.Warn(fmt.Errorf("with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch: here %d consecutive ones", p.model.BatchSize()))
	}
	o := p.o.columns
	o.Asked, o.Format = true, formats[p.o.format]
	o.IsLabel = func(label string) bool { return p.score.means(label) >= 0 }
	p.meetLabels(ctx, name, o)
	var trained *infer.TrainingTexts
	if dir, err := p.Installed(); err == nil {
		trained = p.model.TrainingTexts(ctx, dir, &p.run.Config)
	}
	var how tables.How
	err := p.model.Stream(ctx, p.Workers, func(ctx context.Context, yield func(infer.Input) error) (err error) {
		n := 0
		how, err = records(ctx, p.IO, name, "reviews", o, func(r tables.Record) error {
			n++
			return yield(infer.Input{ID: cmp.Or(r.ID, strconv.Itoa(n)), Label: r.Label, Text: r.Text, Where: r.Where})
		})
		return err
	}, func(texts []infer.Input, answers []infer.Answer) error {
		for i, t := range texts {
			if trained.Has(t.Text) {
				p.trained++
			}
			if err := p.write(t, answers[i]); err != nil {
				return err
			}
		}
		return p.out.Flush()
	})
	if err != nil {
		return err
	}
	p.header() // even without rows
	if how.Guess != "" {
		p.Warn(errors.New(how.Guess))
	}
	if how.Entities > 0 {
		p.Warn(fmt.Errorf("decoded HTML entities such as &quot; in %s", format.Counted(how.Entities, "text")))
	}
	return nil
}

func (p *predicting) data(ctx context.Context, name string) error {
	dir, err := p.Installed()
	if err != nil {
		return err
	}
	c := &p.run.Config
	own, limit := name == c.Data.Name, p.limit(name)
	if !own {
		p.absent = modelview.LookUp(ctx, p.App, c, p.model) // its own data has no new words
	}
	o, stop := progress.Reading(p.IO, p.Warn)
	s, err := p.model.TestSplit(ctx, dir, name, limit, o)
	stop()
	if err != nil {
		return err
	}
	if own {
		p.Warn(infer.DataChanged(c, s.Digest))
	}
	answers, err := p.model.Answers(ctx, s, own)
	if err != nil {
		return err
	}
	for _, class := range s.Classes {
		p.score.numbers.meet(class)
	}
	for i, answer := range answers {
		if err := p.write(infer.Input{ID: s.Names[i], Label: s.Classes[s.Labels[i]]}, answer); err != nil {
			return err
		}
	}
	p.header()
	if left := s.Len() - len(answers); left > 0 {
		p.Warn(fmt.Errorf("slip.drop_last omits the last %s, as in the run", format.Counted(left, "review")))
	}
	return nil
}

// header writes the column names before the first row. If the texts cannot be read, only
// the error is shown.
func (p *predicting) header() {
	if !p.headed && !p.screen {
		p.headed = true
		p.out.Write(runs.AppendPredictionHeader(nil, p.model.Classes))
	}
}

// write writes one prediction.
func (p *predicting) write(t infer.Input, a infer.Answer) error {
	label := p.score.class(t.Label)
	if label >= 0 {
		p.score.Add(label, a.Predicted, a.P)
	}
	p.texts++
	p.classes[a.Predicted]++
	p.words, p.known, p.unknown = p.words+a.Words, p.known+a.Known, p.unknown+a.Unknown
	a.Review, a.Label = t.ID, label
	if p.screen {
		return p.line(t, a)
	}
	p.header()
	p.buf = runs.AppendPrediction(p.buf[:0], p.model.Classes, &a.Prediction)
	_, err := p.out.Write(p.buf)
	return err
}

// maxName is the width to which names and classes are cut on a terminal.
const maxName = 18

// line writes a line for a terminal: name, class, probability, the label if it differs,
// and the beginning of the text.
func (p *predicting) line(t infer.Input, a infer.Answer) error {
	o := p.IO
	cut := func(text string) string { return term.Cut(term.Visible(text), maxName) }
	line := cut(a.Review) + "  " + o.Paint(term.Bold, cut(p.model.Classes[a.Predicted])) + " " + format.Share(a.P[a.Predicted])
	if a.Label >= 0 && a.Label != a.Predicted {
		line += "  label " + cut(p.model.Classes[a.Label])
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

// summary writes a summary to standard error: texts read, accuracy.
func (p *predicting) summary() {
	p.Complain(p.spent("review"))
	if p.texts > 0 {
		p.Complain(p.shares())
	}
	if all := p.known + p.unknown; p.unknown > 0 {
		lack, alike := "without a vector", ": the model cannot distinguish them, so these predictions mean little"
		if p.model.Scorer() != nil {
			lack, alike = "missing or too rare in train", ": the model ignores them"
		}
		text := fmt.Sprintf("words %s: %s, %.1f %% of all", lack, format.Thousands(p.unknown), 100*float64(p.unknown)/float64(all))
		if p.absent {
			text += fmt.Sprintf("; some may have one in %s, which is not installed", infer.Pretrained(&p.run.Config))
		}
		if 2*p.unknown >= all {
			text += alike
		}
		p.Complain(text)
	}
	if n := p.model.Found(); n > 0 {
		p.Complain(fmt.Sprintf("%s new to the run: looked up in %s", format.Counted(n, "word"), infer.Pretrained(&p.run.Config)))
	}
	for _, line := range p.score.lines() {
		p.Complain(line)
	}
	if p.trained > 0 {
		p.Warn(fmt.Errorf("%s of %s are training texts of the run: results on them say little about new texts", format.Thousands(p.trained), format.Counted(p.texts, "review")))
	}
}

// shares describes how many reviews are predicted as each class.
func (p *predicting) shares() string {
	var list []string
	for c, class := range p.model.Classes {
		list = append(list, fmt.Sprintf("%s %.1f %%", term.Visible(class), 100*float64(p.classes[c])/float64(p.texts)))
	}
	return "predicted: " + strings.Join(list, ", ")
}
