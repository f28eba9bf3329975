package main

import (
	"context"
	"fmt"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// outcome ends a run: its result in a line, one test review as the model sees
// it, where everything is kept, and what to type next.
func (a *app) outcome(ctx context.Context, r *training.Runner, run *runs.Run) error {
	line, err := a.result(run)
	if err != nil {
		return err
	}
	a.printf("\n%s\n\n", a.wrap(line, "", "  "))
	if run.Config.Setting("test") == "never" { // a review of test would be a look at it
	} else if run.Config.Translates() {
		a.pair(run)
	} else if err := a.review(ctx, r.Loader.Dir, r.Pool, run); err != nil {
		if ctx.Err() != nil {
			return err
		}
		a.warn(fmt.Errorf("no review can be shown: %w", err)) // the run is whole all the same
	}
	a.printf("run folder: %s\n", run.Path)
	a.cite(run, "")
	a.next(run)
	return nil
}

// result returns what a run came to, in a line.
func (a *app) result(run *runs.Run) (string, error) {
	m, err := run.Chosen()
	if err != nil {
		return "", err
	}
	text := run.Config.Name + ": "
	if m.TestAcc != nil {
		text += a.tested(run, m)
	} else {
		text += "test not looked at (test=never)"
		if m.ValidAcc != nil {
			text += fmt.Sprintf(", validation accuracy %s %%, loss %s", number(m.ValidAcc, 2), number(m.ValidLoss, 3))
		}
	}
	how := "last"
	if run.Config.Setting("select") == "best" {
		how = "best on validation"
		if run.Config.Setting("slip.choose_on_test") == "true" {
			how = "best on test, by slip.choose_on_test"
		}
	}
	text += fmt.Sprintf("; epoch %d of %d (%s)", m.Epoch, run.Status.Epoch, how)
	if times, err := run.Timing(); err == nil {
		var seconds float64
		for _, t := range times {
			seconds += t.Seconds
		}
		text += ", trained in " + clock(seconds)
	}
	return text, nil
}

// tested tells what a run came to on test.
func (a *app) tested(run *runs.Run, m runs.Metrics) string {
	list := report.Build([]*runs.Run{run}, report.Options{Dir: a.runs})
	text := fmt.Sprintf("test accuracy %s %%", number(m.TestAcc, 2))
	if run.Config.Translates() {
		text = fmt.Sprintf("exact match %s %%", number(m.TestExact, 2))
	}
	shown := list.Results()[0]
	if w := shown.Wilson; w.Low == w.Low { // not NaN
		text += fmt.Sprintf(" (95 %% interval %.1f–%.1f)", w.Low, w.High)
	}
	if f1 := shown.MacroF1; f1 == f1 {
		text += fmt.Sprintf(", macro-F1 %.2f %%", f1)
	}
	if run.Config.Translates() {
		text += fmt.Sprintf(", BLEU %s, next words right %s %%", number(m.TestBLEU, 2), number(m.TestAcc, 2))
	}
	text += fmt.Sprintf(", loss %s", number(m.TestLoss, 3))
	if m.TestEntropy != nil {
		text += fmt.Sprintf(", attention entropy %s nats", number(m.TestEntropy, 2))
	}
	return text
}

// marked is how many words of a review are marked.
const marked = 5

// review shows one test review with its prediction and, where the model attends,
// its most attended words marked.
func (a *app) review(ctx context.Context, dir string, pool *ops.Pool, run *runs.Run) error {
	predictions, err := run.Predictions()
	if err != nil {
		return err
	}
	row := typical(predictions.Rows)
	if row == nil {
		return nil
	}
	text, err := infer.Text(ctx, dir, run, row.Review)
	if err != nil {
		return err
	}
	m, err := infer.Open(run, pool)
	if err != nil {
		return err
	}
	defer m.Close()
	p, err := m.Predict(text)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("review %s: predicted %s (%s)", row.Review, m.Classes[p.Class], percent(float64(p.P[p.Class])))
	if row.Label >= 0 {
		head += ", label " + m.Classes[row.Label]
	}
	if p.Weights != nil {
		head += fmt.Sprintf("; the %d most attended words are marked", min(marked, len(p.Words)))
	}
	a.printf("%s\n", a.wrap(head, "", "  "))
	a.printf("%s\n\n", term.WrapWords(a.mark(text, p), a.textWidth(), "  ", "  "))
	return nil
}

// typical returns the first test review of a handy length that the model gets
// right, else the first that it gets right, else the first.
func typical(rows []runs.Prediction) *runs.Prediction {
	var right, any *runs.Prediction
	for i := range rows {
		r := &rows[i]
		if any == nil {
			any = r
		}
		if r.Predicted != r.Label {
			continue
		}
		if right == nil {
			right = r
		}
		if handy(r.Words) {
			return r
		}
	}
	if right != nil {
		return right
	}
	return any
}

// handy reports whether a review of n words is long enough to tell something and
// short enough to be read.
func handy(n int) bool { return n >= 40 && n <= 120 }

// mark returns the pieces of a text between blanks, the most attended words
// painted, or in brackets where there is no colour.
func (a *app) mark(text string, p *infer.Prediction) []string {
	top := map[int]bool{} // by where the word starts
	for _, i := range p.Top(marked) {
		top[p.Words[i].Start] = true
	}
	return pieces(text, spansOf(&infer.View{Prediction: *p}), func(s span, shown string) string {
		switch {
		case !top[s.from]:
			return shown
		case a.io.Color():
			return a.io.Paint(term.Marked, shown)
		}
		return "[" + shown + "]"
	})
}

// next prints what to try now.
func (a *app) next(run *runs.Run) {
	again := []string{"run", run.Config.Name}
	for _, s := range run.Config.Settings {
		if run.Config.From[s.Key] == plan.FromCommandLine && s.Key != "seed" {
			again = append(again, s.Key+"="+s.Value)
		}
	}
	id := run.Config.ShortID()
	list := [][2]string{{a.command("report"), "all runs beside the published table"}}
	if run.Config.Translates() {
		list = [][2]string{
			{a.command("report"), "all runs: exact match, BLEU, and exact match by length"},
			{a.command("predict", id, "-"), "translates standard input, a sentence a line"},
		}
		if m, err := run.Chosen(); err == nil && m.TrainEntropy != nil { // it has attention
			list = append(list, [2]string{a.command("attend", id, "TEXT"), "which word comes from which"})
		}
	}
	a.commands(append(list,
		[2]string{a.command("show", id), "this run: settings, results, machine"},
		[2]string{a.command(append(again, "seed=1..5")...), "five seeds"}))
}

// textWidth is where running text is broken: at the terminal's width, or 100.
func (a *app) textWidth() int {
	if w := a.io.Width(); w > 0 {
		return min(w, 100)
	}
	return 100
}

// wrap breaks a text for a terminal; in a pipe it stays one line.
func (a *app) wrap(text, first, rest string) string {
	return term.Wrap(text, a.io.Width(), first, rest)
}
