package predict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/number"
	"imdbexp/cmd/exp/internal/texts"
	"imdbexp/report/stats"
)

// labelScore compares predictions with the labels that reviews came with, which may be
// called otherwise than the run's classes.
type labelScore struct {
	*stats.Scores
	classes []string
	other   map[string]string // class by label, of those that were taken for one
	strange int               // labels that are no class
	example string            // of these
}

func newLabelScore(classes []string) *labelScore {
	return &labelScore{Scores: stats.NewScores(len(classes)), classes: classes, other: map[string]string{}}
}

// polar are other names of two classes neg and pos.
var polar = map[string]string{
	"negative": "neg", "0": "neg", "-1": "neg", "bad": "neg", "false": "neg",
	"positive": "pos", "1": "pos", "+1": "pos", "good": "pos", "true": "pos",
}

// class returns the class that a label means: the one called so, whatever the case;
// of neg and pos also by their usual other names. -1 is for none, and without a label.
func (s *labelScore) class(label string) int {
	if label == "" {
		return -1
	}
	if i := slices.Index(s.classes, label); i >= 0 {
		return i
	}
	name := label
	if slices.Equal(s.classes, []string{"neg", "pos"}) && polar[strings.ToLower(label)] != "" {
		name = polar[strings.ToLower(label)]
	}
	i := slices.IndexFunc(s.classes, func(c string) bool { return strings.EqualFold(c, name) })
	switch {
	case i >= 0:
		s.other[label] = s.classes[i]
	default:
		if s.strange++; s.strange == 1 {
			s.example = label
		}
	}
	return i
}

// lines tells in sentences how well the predictions fit.
func (s *labelScore) lines() []string {
	var out []string
	if s.strange > 0 {
		out = append(out, fmt.Sprintf("%s %s no class of the run (%s), such as %q: left out of what follows",
			number.Thousands(s.strange), map[bool]string{true: "label is", false: "labels are"}[s.strange == 1], strings.Join(s.classes, ", "), texts.Shorten(s.example)))
	}
	if len(s.other) > 0 {
		var taken []string
		for label, class := range s.other {
			taken = append(taken, fmt.Sprintf("%q as %s", label, class))
		}
		slices.Sort(taken)
		out = append(out, "labels taken: "+strings.Join(taken, ", "))
	}
	if s.N() == 0 {
		return out
	}
	i, err := stats.Wilson(float64(s.Right()), float64(s.N()))
	if err != nil {
		return out // there are reviews: it cannot be
	}
	return append(out, fmt.Sprintf("accuracy %.2f %% (95 %% interval %.2f–%.2f), macro-F1 %.2f %%, expected calibration error %.2f %% (%d bins of equal width), Brier score %.4f, on %s with a label",
		100*s.Accuracy(), 100*i.Low, 100*i.High, 100*s.MacroF1(), 100*s.ECE(), stats.ECEBins, s.Brier(), number.Reviews(s.N())))
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
	text := fmt.Sprintf("%s, %s %s, in %s", number.Reviews(c.reviews), number.Thousands(c.words), number.Counted(c.words, "word"), number.Clock(took))
	if rate := float64(c.reviews) / took; took > 0.1 && rate >= 1 {
		text += fmt.Sprintf(" (%s a second)", number.Reviews(int(rate)))
	}
	say(text)
	if all := c.known + c.unknown; c.unknown > 0 {
		lack, alike := "without a vector", ": they are all alike to the model, so that such predictions say little"
		if p.model.Scorer() != nil {
			lack, alike = "that train does not have, or too rarely", ": they say nothing to the model"
		}
		text = fmt.Sprintf("words %s: %s, %.1f %% of all", lack, number.Thousands(c.unknown), 100*float64(c.unknown)/float64(all))
		if p.absent != "" {
			text += fmt.Sprintf("; some may have one in %s, which is not installed", p.absent)
		}
		if 2*c.unknown >= all {
			text += alike
		}
		say(text)
	}
	if n := p.model.Found(); n > 0 {
		say(fmt.Sprintf("%s that the run had not met: taken from %s (--no-lookup leaves them unknown)", number.Thousands(n)+" "+number.Counted(n, "word"), p.looked))
	}
	for _, line := range p.score.lines() {
		say(line)
	}
}
