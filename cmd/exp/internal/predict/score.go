package predict

import (
	"fmt"
	"time"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/format"
	"imdbexp/report/stats"
)

// labelScore compares predictions with the labels that reviews came with.
type labelScore struct {
	*stats.Scores
	labels
}

func newLabelScore(classes []string) *labelScore {
	return &labelScore{stats.NewScores(len(classes)), newLabels(classes)}
}

// lines tells in sentences how well the predictions fit.
func (s *labelScore) lines() []string {
	out := s.told()
	if s.N() == 0 || s.numbers.mistaken() {
		return out
	}
	i, err := stats.Wilson(float64(s.Right()), float64(s.N()))
	if err != nil {
		return out // there are reviews: it cannot be
	}
	return append(out, fmt.Sprintf("accuracy %.2f %% (95 %% interval %.2f–%.2f), macro-F1 %.2f %%, expected calibration error %.2f %% (%d bins of equal width), Brier score %.4f, on %s with a label",
		100*s.Accuracy(), 100*i.Low, 100*i.High, 100*s.MacroF1(), 100*s.ECE(), stats.ECEBins, s.Brier(), format.Counted(s.N(), "review")))
}

// tally counts what went through.
type tally struct{ reviews, words, known, unknown int }

func (t *tally) add(a infer.Answer) {
	t.reviews++
	t.words += a.Words
	t.known += a.Known
	t.unknown += a.Unknown
}

// summary tells on standard error what was read and how well it went.
func (p *predicting) summary() {
	say := func(text string) { fmt.Fprintln(p.App.IO.Err, p.App.Wrap(text, "", "  ")) }
	took, c := time.Since(p.start).Seconds(), p.count
	if p.App.IO.Terminal() {
		say("")
	}
	text := fmt.Sprintf("%s, %s, in %s", format.Counted(c.reviews, "review"), format.Counted(c.words, "word"), format.Clock(took))
	if rate := float64(c.reviews) / took; took > 0.1 && rate >= 1 {
		text += fmt.Sprintf(" (%s a second)", format.Counted(int(rate), "review"))
	}
	say(text)
	if all := c.known + c.unknown; c.unknown > 0 {
		lack, alike := "without a vector", ": they are all alike to the model, so that such predictions say little"
		if p.model.Scorer() != nil {
			lack, alike = "that train does not have, or too rarely", ": they say nothing to the model"
		}
		text = fmt.Sprintf("words %s: %s, %.1f %% of all", lack, format.Thousands(c.unknown), 100*float64(c.unknown)/float64(all))
		if p.absent != "" {
			text += fmt.Sprintf("; some may have one in %s, which is not installed", p.absent)
		}
		if 2*c.unknown >= all {
			text += alike
		}
		say(text)
	}
	if n := p.model.Found(); n > 0 {
		say(fmt.Sprintf("%s that the run had not met: taken from %s (--no-lookup leaves them unknown)", format.Counted(n, "word"), p.looked))
	}
	for _, line := range p.score.lines() {
		say(line)
	}
}
