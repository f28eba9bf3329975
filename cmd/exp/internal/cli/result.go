package cli

import (
	"fmt"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// ResultLine returns the result of a run in one line.
func ResultLine(run *runs.Run) (string, error) {
	m, err := run.Chosen()
	if err != nil {
		return "", err
	}
	text := run.Config.Name + ": "
	if m.TestAcc != nil {
		text += tested(run, m)
	} else {
		text += "not evaluated on the test set" + map[bool]string{true: " (test=never)", false: " yet"}[run.Config.Untested()]
		if m.ValidAcc != nil {
			text += fmt.Sprintf(", validation accuracy %s %%, loss %s", format.Optional(m.ValidAcc, 2), format.Optional(m.ValidLoss, 3))
		}
	}
	how := "last"
	if g := run.Config.General(); g.Select == "best" {
		how = "best on validation"
		if g.ChooseOnTest {
			how = "best on test, by slip.choose_on_test"
		}
	}
	if run.Converged() {
		text += fmt.Sprintf("; converged after epoch %d", m.Epoch)
	} else {
		text += fmt.Sprintf("; epoch %d of %d (%s)", m.Epoch, run.Status.Epoch, how)
	}
	if seconds, ok := run.Trained(); ok {
		text += ", trained in " + format.Clock(seconds)
	}
	return text, nil
}

// tested describes the result on the test set.
func tested(run *runs.Run, m runs.Metrics) string {
	task, shown := run.Config.Task(), report.ReadAll([]*runs.Run{run})[0]
	text := measured(task.Score, m)
	if w := shown.Wilson; w.Low == w.Low { // not NaN
		text += fmt.Sprintf(" (95 %% interval %.1f–%.1f)", w.Low, w.High)
	}
	if f1 := shown.MacroF1; f1 == f1 {
		text += fmt.Sprintf(", macro-F1 %.2f %%", f1)
	}
	for _, d := range task.Decoded {
		if d.Key != task.Score.Key {
			text += ", " + measured(d, m)
		}
	}
	if len(task.Decoded) > 0 {
		text += fmt.Sprintf(", %s %s %%", task.Accuracy, format.Optional(m.TestAcc, 2))
	}
	text += fmt.Sprintf(", loss %s", format.Optional(m.TestLoss, 3))
	if m.TestEntropy != nil {
		text += fmt.Sprintf(", attention entropy %s nats", format.Optional(m.TestEntropy, 2))
	}
	return text
}

func measured(by runs.Measure, m runs.Metrics) string {
	return by.Name + " " + format.Optional(by.Of(&m), 2) + by.Unit
}

// Cite prints how to cite a run that has finished, behind indent.
func Cite(io *term.IO, run *runs.Run, indent string) {
	if c, err := run.Citation(); err == nil {
		io.SayIndented("cite as "+term.Line(c.String()), indent, indent+"  ")
	}
}

// NotLearned describes a run on reviews that is at chance level in a sentence, and names a likely cause.
// Other runs have "".
func NotLearned(run *runs.Run) (text, cause string) {
	u := report.AtChance(run)
	if u == nil {
		return "", ""
	}
	text = fmt.Sprintf("%s has not learned: ", run.Config.Name)
	switch {
	case u.Exploded():
		text += fmt.Sprintf("its loss has exploded to %s, from about %.3f at the start.", format.Optional(&u.Loss, 3), u.Start)
	case u.Guesses():
		text += fmt.Sprintf("a loss of %.3f and %.1f %% are what guessing gives (%.3f).", u.Loss, u.Acc, u.Guess)
	default:
		text += fmt.Sprintf("a loss of %.3f and %.1f %% are no better than guessing, which gives %.3f.", u.Loss, u.Acc, u.Guess)
	}
	c := &run.Config
	switch {
	case c.Counts():
		return text, "Its n-grams may be too few or too rare; ngrams.min_count=1 keeps all."
	case u.Exploded():
		return text, "lr=" + c.Setting("lr") + " may be too large."
	}
	for _, s := range suspects {
		if value := c.Setting(s.key); value != "" && value != s.usual {
			return text, fmt.Sprintf("%s=%s %s.", s.key, value, s.why)
		}
	}
	return text, "More epochs or another learning rate may help."
}

// suspects are settings that can keep a model from learning unless they have the usual value.
var suspects = []struct{ key, usual, why string }{
	{"slip.relu_logits", "false", "can hold all logits at zero, where nothing has a gradient"},
	{"slip.batch_slot_norm", "false", "subtracts the mean of the batch at each word position"},
	{"lambda", "0", "may outweigh the labels"},
}
