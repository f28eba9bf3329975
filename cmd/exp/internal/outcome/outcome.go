// Package outcome shows the result of a run.
package outcome

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// Show prints the result of a run in a line, one test review with its prediction, the run folder, the
// citation and commands to continue with.
func Show(ctx context.Context, a *cli.App, r *training.Runner, run *runs.Run) error {
	line, err := Line(run)
	if err != nil {
		return err
	}
	a.Printf("\n%s\n\n", a.Wrap(line, "", "  "))
	if text, cause := NotLearned(run); text != "" {
		a.Printf("%s\n\n", a.Wrap(text+" "+cause, "", "  "))
	}
	if !run.Config.Untested() { // a test review would be an evaluation on the test set
		if err := answer(ctx, a.IO, r, run); ctx.Err() != nil {
			return err
		} else if err != nil {
			a.Warn(fmt.Errorf("no %s can be shown: %w", run.Config.Task().One, err)) // the run is valid all the same
		}
	}
	a.Say("run folder: " + term.Line(run.Path))
	Cite(a.IO, run, "")
	next(a, run)
	return nil
}

// Line returns the result of a run in one line.
func Line(run *runs.Run) (string, error) {
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

// answer shows one test review or pair with the run's prediction.
func answer(ctx context.Context, io *term.IO, r *training.Runner, run *runs.Run) error {
	answers, err := run.Answers()
	if err != nil {
		return err
	}
	switch list := answers.(type) {
	case *runs.Predictions:
		return review(ctx, io, r.Loader.Dir, r.Pool, run, list)
	case runs.Translations:
		pair(io, list)
	}
	return nil
}

// mostNamed is the max number of words named with their weights.
const mostNamed = 5

// review shows one test review with its prediction, shaded as by exp attend, and names the words with
// at least twice an equal share of attention.
func review(ctx context.Context, io *term.IO, dir string, pool *ops.Pool, run *runs.Run, predictions *runs.Predictions) error {
	row := modelview.Typical(predictions.Rows)
	if row == nil {
		return nil
	}
	found, err := infer.Reviews(ctx, dir, run, []string{row.Review})
	if err != nil {
		return err
	}
	m, err := infer.Open(run, pool)
	if err != nil {
		return err
	}
	defer m.Close()
	p, err := m.View(found[0].Text, infer.Selection{})
	if err != nil {
		return err
	}
	head := fmt.Sprintf("review %s: predicted %s (%s)", row.Review, m.Classes[p.Class], format.Percent(float64(p.P[p.Class])))
	if row.Label >= 0 {
		head += ", label " + m.Classes[row.Label]
	}
	switch {
	case p.Attended != nil:
		var list []string
		for _, i := range p.Top(mostNamed) {
			if p.Ratio[i] >= 2 {
				list = append(list, fmt.Sprintf("%s %.1f %%", p.Words[i].Word, 100*p.Weights[i]))
			}
		}
		head += "; attention: " + cmp.Or(strings.Join(list, ", "), "almost even, no word gets twice an equal share")
	case p.Explained != nil:
		head += "; shaded by what its n-grams add to the score"
	}
	io.Say(head)
	io.Printf("%s\n\n", term.WrapWords(modelview.Shaded(io, found[0].Text, p), io.TextWidth(), "  ", "  "))
	return nil
}

// next prints commands to try next.
func next(a *cli.App, run *runs.Run) {
	id := run.Config.ShortID()
	list := [][2]string{{a.Command("report"), "all runs next to the published table"}, {a.Command("show", id), "this run: settings, results, machine"}}
	switch run.Config.Task() {
	case runs.Texts:
		list = append(list, [2]string{a.Command("run", "EXPERIMENT", "init="+id), "a classifier that starts from its weights"})
	case runs.Pairs:
		list = append(list, [2]string{a.Command("predict", id, "-"), "translates standard input, a sentence a line"})
	}
	if run.Config.Counts() { // seeds make no difference
		list = append(list, [2]string{a.Command("attend", id, "TEXT"), "what each n-gram adds"})
	} else {
		list = append(list, [2]string{a.Command(slices.Concat([]string{"run"}, a.Names().Words(&run.Config), []string{"seed=1..5"})...), "five seeds"})
	}
	cli.Next(a.IO, list)
}

// Cite prints how to cite a run that has finished, behind indent.
func Cite(io *term.IO, run *runs.Run, indent string) {
	if c, err := run.Citation(); err == nil {
		io.SayIndented("cite as "+term.Line(c.String()), indent, indent+"  ")
	}
}

// pair shows one test pair with its translation (see modelview.TypicalPair).
func pair(io *term.IO, list runs.Translations) {
	if len(list) == 0 {
		return
	}
	t := modelview.TypicalPair(list)
	io.Say(fmt.Sprintf("pair %s, by beam search:", t.Pair))
	io.Printf("%s\n%s\n", io.Wrap(term.Visible(t.Source), "  ", "  "), io.Wrap(io.Paint(term.Bold, term.Visible(t.Beam)), "  ", "  "))
	if t.Beam != t.Reference {
		io.SayIndented("reference: "+term.Visible(t.Reference), "  ", "    ")
	}
	io.Printf("\n")
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
