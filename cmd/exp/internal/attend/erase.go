package attend

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/picture"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/open"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

// eraseOptions are the flags of exp attend --erase.
type eraseOptions struct {
	seed uint64
	out  string // of the figure; "" draws none
}

// register adds the flags that only --erase has; --out and --limit are exp attend's own.
func (o *eraseOptions) register(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&o.seed, "erase-seed", 1, "of --erase: seed of the words removed at random")
}

// eraseWords shows what becomes of a run's predictions when the words that a ranking puts
// first are taken from its test reviews, or are all that is left of them.
func eraseWords(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, limit int, o eraseOptions) error {
	if o.out != "" {
		if _, err := picture.Files(o.out); err != nil { // before there is work to lose
			return err
		}
	}
	dir, err := a.Installed()
	if err != nil {
		return err
	}
	c := &run.Config
	limit = cmp.Or(limit, c.General().Limit)
	reading, stop := progress.Reading(a.IO)
	s, err := m.TestSplit(ctx, dir, c.Data.Name, limit, open.Options{Warn: a.Warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	a.Warn(infer.DataChanged(c, s.Digest))
	if m.BatchDependent() {
		a.Warn(fmt.Errorf("with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch, so on what is taken from them, too"))
	}
	e, err := measureErasure(ctx, a.IO, m, s, o.seed)
	if err != nil {
		return err
	}
	if err := eraseTable(a, run, e); err != nil {
		return err
	}
	if c.Data.Name == "sample" {
		if err := verdictShares(ctx, a.IO, m, limit, o); err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	if !a.IO.Terminal() { // the table is data
		aside, streams := *a, *a.IO
		streams.Out = a.IO.Err
		aside.IO = &streams
		a = &aside
	}
	return picture.Write(a.IO, eraseFigure(run, a.Names().About(&run.Config), e), canvas.Page, o.out,
		"A ranking finds the words that predictions rest on where accuracy falls early, comprehensiveness is high and sufficiency low; look at its distance from words at random.")
}

// erasedBy are the scores by which --erase chooses words.
func erasedBy() []*scores.Score {
	var out []*scores.Score
	for _, s := range scores.All() {
		if slices.Contains([]string{scores.Attention, scores.Gradient, scores.Random}, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

// measureErasure does the work, with a bar on a terminal.
func measureErasure(ctx context.Context, io *term.IO, m *infer.Model, split *infer.Split, seed uint64) (*battery.Erasure, error) {
	s, err := battery.NewSubject(ctx, m, split, erasedBy(), seed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if io.Terminal() {
		b := progress.NewBar(io)
		defer b.Stop()
		s.Heard = func(what string, done, of int) {
			b.Set(int64(done), int64(of), what, fmt.Sprintf("%s of %s", format.Thousands(done), format.Counted(of, "review")))
		}
	}
	return battery.Erase(ctx, s, s.Scores)
}

// eraseTable prints a row a share and ranking; in a pipe the half widths of the
// intervals have columns of their own.
func eraseTable(a *cli.App, run *runs.Run, e *battery.Erasure) error {
	io := a.IO
	plain := !io.Terminal()
	right := func(head string) term.Column { return term.Column{Head: head, Right: true} }
	columns := []term.Column{right("words"), {Head: "chosen by"}, right("accuracy"), {Head: "p", Right: true, Optional: 2}, right("compreh.")}
	if plain {
		columns = []term.Column{right("words"), {Head: "chosen by"}, right("accuracy"), right("p"), right("comprehensiveness"), right("± 95 %"),
			right("sufficiency"), right("± 95 %"), right("accuracy alone")}
	} else {
		io.Say(fmt.Sprintf("%s: %s, accuracy %.2f %%, mean probability p of the predicted class %.3f",
			a.Headed(&run.Config), format.Counted(e.Reviews, "review"), 100*e.Accuracy, e.P), "", "  ")

		io.Printf("%s\n\n", io.Wrap("Comprehensiveness: how much p falls without the words; sufficiency: how much with them alone. "+
			"Words that a prediction rests on make the one high and the other low.", "", ""))
		columns = append(columns, term.Column{Head: "sufficiency", Right: true, Optional: 1})
	}
	t := term.NewTable(columns...)
	for k, share := range battery.EraseShares {
		for i, c := range e.Curves {
			name := format.Percent(share)
			if i > 0 && !plain {
				name = "" // as above
			}
			row := []string{name, c.Ranking, fmt.Sprintf("%.2f", 100*c.Accuracy[k]), fmt.Sprintf("%.3f", c.P[k])}
			if plain {
				row = append(row, mean(c.Comprehensiveness[k]), half(c.Comprehensiveness[k]), mean(c.Sufficiency[k]), half(c.Sufficiency[k]),
					fmt.Sprintf("%.2f", 100*c.KeptAccuracy[k]))
			} else {
				row = append(row, format.Minus(mean(c.Comprehensiveness[k]))+" ± "+half(c.Comprehensiveness[k]), format.Minus(mean(c.Sufficiency[k]))+" ± "+half(c.Sufficiency[k]))
			}
			t.Add(row...)
		}
	}
	if err := t.Print(io); err != nil || plain {
		return err
	}
	io.Printf("\n")
	for _, c := range e.Curves {
		io.Say(fmt.Sprintf("%s, on average over the shares: comprehensiveness %s, sufficiency %s",
			c.Ranking, format.Minus(mean(c.AreaWithout)), format.Minus(mean(c.AreaAlone))), "", "  ")

	}
	return nil
}

func mean(m battery.Mean) string {
	if text := fmt.Sprintf("%.3f", m.Mean); text != "-0.000" {
		return text
	}
	return "0.000"
}

func half(m battery.Mean) string {
	if math.IsNaN(m.Half) {
		return "–"
	}
	return fmt.Sprintf("%.3f", m.Half)
}

// verdictShares tells how much falls on the words that decide, which the sample's grammar
// knows; on standard error where the table is in a pipe.
func verdictShares(ctx context.Context, io *term.IO, m *infer.Model, limit int, o eraseOptions) error {
	var ranked []*scores.Score
	for _, s := range erasedBy() {
		if s.Name != scores.Random {
			ranked = append(ranked, s)
		}
	}
	list, err := battery.VerdictShares(ctx, m, ranked, limit, o.seed)
	if err != nil {
		return err
	}
	out := io.Out
	if !io.Terminal() {
		out = io.Err
	}
	fmt.Fprintln(out)
	for _, v := range list {
		fmt.Fprintf(out, "%s\n", io.Wrap(fmt.Sprintf("%s on the words that decide the label: %.1f %% (95 %% interval %.1f–%.1f), %.1f %% if all words were alike; first in %s of %s",
			v.Ranking, 100*v.Share, 100*v.Low, 100*v.High, 100*v.Uniform, format.Percent(v.First), format.Counted(v.Reviews, "review")), "", "  "))
	}
	return nil
}

// leastMoved is the span of an axis of probabilities, at least: a model that erasing does not
// move is flat.
const leastMoved = 0.1

// eraseFigure draws accuracy, comprehensiveness and sufficiency over the share of
// words.
func eraseFigure(run *runs.Run, about string, e *battery.Erasure) canvas.Figure {
	var shares []float64
	for _, s := range battery.EraseShares {
		shares = append(shares, 100*s)
	}
	accuracy := chart.RemovalPanel{Title: "without the words", Axis: "accuracy (%)", Least: canvas.LeastAccuracy, Whole: 100 * e.Accuracy}
	without := chart.RemovalPanel{Title: "without the words", Axis: "comprehensiveness", Least: leastMoved, Whole: math.NaN()}
	alone := chart.RemovalPanel{Title: "these words alone", Axis: "sufficiency", Least: leastMoved, Whole: math.NaN()}
	for _, c := range e.Curves {
		var y []float64
		for _, x := range c.Accuracy {
			y = append(y, 100*x)
		}
		accuracy.Lines = append(accuracy.Lines, chart.RemovalLine{Name: c.Ranking, Chance: scores.IsChance(c.Ranking), Y: y})
		without.Lines = append(without.Lines, removalLine(c.Ranking, c.Comprehensiveness))
		alone.Lines = append(alone.Lines, removalLine(c.Ranking, c.Sufficiency))
	}
	return chart.Removals("erase-"+run.Config.Name, "What predictions lose with their words",
		fmt.Sprintf("%s · %s · %s of %s · dotted: whole reviews · comprehensiveness, sufficiency: fall of the predicted class's probability, with 95 %% intervals",
			run.Label(), about, format.Counted(e.Reviews, "review"), run.Config.Data.Name), shares, accuracy, without, alone)
}

func removalLine(name string, list []battery.Mean) chart.RemovalLine {
	l := chart.RemovalLine{Name: name, Chance: scores.IsChance(name)}
	for _, m := range list {
		l.Y, l.Ends = append(l.Y, m.Mean), append(l.Ends, [2]float64{m.Mean - m.Half, m.Mean + m.Half})
	}
	return l
}
