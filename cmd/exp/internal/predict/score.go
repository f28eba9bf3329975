package predict

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/stats"
)

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
	i, err := stats.Wilson(float64(s.Right()), float64(s.N()))
	if err != nil {
		return out // impossible with at least one review
	}
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
		if p.absent != "" {
			text += fmt.Sprintf("; some may have one in %s, which is not installed", p.absent)
		}
		if 2*c.unknown >= all {
			text += alike
		}
		say(text)
	}
	if n := p.model.Found(); n > 0 {
		say(fmt.Sprintf("%s new to the run: looked up in %s (--no-lookup leaves them unknown)", format.Counted(n, "word"), p.looked))
	}
	for _, line := range p.score.lines() {
		say(line)
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
