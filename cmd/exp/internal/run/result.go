package run

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

// showResult prints the result of a run in a line, one test review with its prediction, the run folder, the
// citation and commands to continue with.
func showResult(ctx context.Context, a *cli.App, r *training.Runner, run *runs.Run) error {
	line, err := cli.ResultLine(run)
	if err != nil {
		return err
	}
	a.Printf("\n%s\n\n", a.Wrap(line, "", "  "))
	if text, cause := cli.NotLearned(run); text != "" {
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
	cli.Cite(a.IO, run, "")
	next(a, run)
	return nil
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
	all := "a table of all runs"
	if report.FullIMDB(&run.Config) {
		all = "all runs next to the published table"
	}
	list := [][2]string{{a.Command("report"), all}, {a.Command("show", id), "this run: settings, results, machine"}}
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
