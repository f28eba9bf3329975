package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"imdbexp/dataset/open"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// eraseOptions are the flags of exp attend --erase.
type eraseOptions struct {
	limit int
	seed  uint64
	out   string // of the figure; "" draws none
}

// register adds the flags that only --erase has; --out is exp attend's own.
func (o *eraseOptions) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.limit, "limit", 0, "of --erase: only the first `N` reviews of each class (default: all of the run's test)")
	cmd.Flags().Uint64Var(&o.seed, "erase-seed", 1, "of --erase: seed of the words removed at random")
}

// erase shows what becomes of a run's predictions when the words that a ranking puts
// first are taken from its test reviews, or are all that is left of them.
func (a *app) erase(ctx context.Context, run *runs.Run, m *infer.Model, o eraseOptions) error {
	if o.out != "" {
		if _, err := files(o.out); err != nil { // before there is work to lose
			return err
		}
	}
	dir, err := a.data()
	if err != nil {
		return err
	}
	c := &run.Config
	if own, _ := strconv.Atoi(c.Setting("data.limit")); o.limit == 0 {
		o.limit = own
	}
	reading, stop := a.reading()
	s, err := m.TestSplit(ctx, dir, c.Data.Name, o.limit, open.Options{Warn: a.warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	if s.Digest != c.Digests["data"] {
		a.warn(fmt.Errorf("data=%s have changed since the run: these are not the reviews of its test", c.Data.Name))
	}
	if m.BatchDependent() {
		a.warn(fmt.Errorf("with slip.pad a prediction depends on the other reviews of its batch, so on what is taken from them, too"))
	}
	e, err := a.erased(ctx, m, s, o.seed)
	if err != nil {
		return err
	}
	if err := a.eraseTable(run, e); err != nil {
		return err
	}
	if c.Data.Name == "sample" {
		if err := a.verdicts(ctx, m, o); err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	if !a.io.Terminal() { // the table is data
		aside, streams := *a, *a.io
		streams.Out = a.io.Err
		aside.io = &streams
		a = &aside
	}
	return a.write(eraseFigure(run, e), report.Page, o.out,
		"A ranking finds the words that predictions rest on where accuracy falls early, comprehensiveness is high and sufficiency low; look at its distance from words at random.")
}

// erased does the work, with a bar on a terminal.
func (a *app) erased(ctx context.Context, m *infer.Model, s *infer.Split, seed uint64) (*infer.Erasure, error) {
	if !a.io.Terminal() {
		return m.Erase(ctx, s, seed, nil)
	}
	b := newBar(a.io)
	defer b.stop()
	return m.Erase(ctx, s, seed, func(done int) {
		b.set(int64(done), int64(s.Len()), "erasing", fmt.Sprintf("%s of %s", thousands(done), reviews(s.Len())))
	})
}

// eraseTable prints a row a share and ranking; in a pipe the half widths of the
// intervals have columns of their own.
func (a *app) eraseTable(run *runs.Run, e *infer.Erasure) error {
	plain := !a.io.Terminal()
	right := func(head string) term.Column { return term.Column{Head: head, Right: true} }
	columns := []term.Column{right("words"), {Head: "chosen by"}, right("accuracy"), {Head: "p", Right: true, Optional: 2}, right("compreh.")}
	if plain {
		columns = []term.Column{right("words"), {Head: "chosen by"}, right("accuracy"), right("p"), right("comprehensiveness"), right("± 95 %"),
			right("sufficiency"), right("± 95 %"), right("accuracy alone")}
	} else {
		a.printf("%s\n", a.wrap(fmt.Sprintf("%s: %s, accuracy %.2f %%, mean probability p of the predicted class %.3f",
			a.io.Paint(term.Bold, run.Label()), reviews(e.Reviews), 100*e.Accuracy, e.P), "", "  "))
		a.printf("%s\n\n", a.wrap("Comprehensiveness: how much p falls without the words; sufficiency: how much with them alone. "+
			"Words that a prediction rests on make the one high and the other low.", "", ""))
		columns = append(columns, right("sufficiency"))
	}
	t := term.NewTable(columns...)
	for k, share := range infer.EraseShares {
		for i, c := range e.Curves {
			name := percent(share)
			if i > 0 && !plain {
				name = "" // as above
			}
			row := []string{name, c.Ranking, fmt.Sprintf("%.2f", 100*c.Accuracy[k]), fmt.Sprintf("%.3f", c.P[k])}
			if plain {
				row = append(row, mean(c.Comprehensiveness[k]), half(c.Comprehensiveness[k]), mean(c.Sufficiency[k]), half(c.Sufficiency[k]),
					fmt.Sprintf("%.2f", 100*c.KeptAccuracy[k]))
			} else {
				row = append(row, minus(mean(c.Comprehensiveness[k]))+" ± "+half(c.Comprehensiveness[k]), minus(mean(c.Sufficiency[k]))+" ± "+half(c.Sufficiency[k]))
			}
			t.Add(row...)
		}
	}
	if err := t.Print(a.io); err != nil || plain {
		return err
	}
	a.printf("\n")
	for _, c := range e.Curves {
		a.printf("%s\n", a.wrap(fmt.Sprintf("%s, on average over the shares: comprehensiveness %s, sufficiency %s",
			c.Ranking, average(c.Comprehensiveness), average(c.Sufficiency)), "", "  "))
	}
	return nil
}

// average is that over the shares, for a sentence.
func average(all []infer.Mean) string { return minus(mean(infer.Mean{Mean: infer.AOPC(all)})) }

func mean(m infer.Mean) string {
	if text := fmt.Sprintf("%.3f", m.Mean); text != "-0.000" {
		return text
	}
	return "0.000"
}

func half(m infer.Mean) string {
	if math.IsNaN(m.Half) {
		return "–"
	}
	return fmt.Sprintf("%.3f", m.Half)
}

// verdicts tells how much falls on the words that decide, which the sample's grammar
// knows; on standard error where the table is in a pipe.
func (a *app) verdicts(ctx context.Context, m *infer.Model, o eraseOptions) error {
	list, err := m.VerdictShares(ctx, o.limit, o.seed)
	if err != nil {
		return err
	}
	out := a.io.Out
	if !a.io.Terminal() {
		out = a.io.Err
	}
	fmt.Fprintln(out)
	for _, v := range list {
		fmt.Fprintf(out, "%s\n", a.wrap(fmt.Sprintf("%s on the words that decide the label: %.1f %% (95 %% interval %.1f–%.1f), %.1f %% if all words were alike; first in %s of %s",
			v.Ranking, 100*v.Share, 100*v.Low, 100*v.High, 100*v.Uniform, percent(v.First), reviews(v.Reviews)), "", "  "))
	}
	return nil
}

// eraseFigure draws accuracy, comprehensiveness and sufficiency over the share of
// words.
func eraseFigure(run *runs.Run, e *infer.Erasure) report.Figure {
	var shares []float64
	for _, s := range infer.EraseShares {
		shares = append(shares, 100*s)
	}
	accuracy := report.RemovalPanel{Title: "without the words", Axis: "accuracy (%)", Whole: 100 * e.Accuracy}
	without := report.RemovalPanel{Title: "without the words", Axis: "comprehensiveness", Whole: math.NaN()}
	alone := report.RemovalPanel{Title: "these words alone", Axis: "sufficiency", Whole: math.NaN()}
	for _, c := range e.Curves {
		var y []float64
		for _, x := range c.Accuracy {
			y = append(y, 100*x)
		}
		accuracy.Lines = append(accuracy.Lines, report.RemovalLine{Name: c.Ranking, Y: y})
		without.Lines = append(without.Lines, removalLine(c.Ranking, c.Comprehensiveness))
		alone.Lines = append(alone.Lines, removalLine(c.Ranking, c.Sufficiency))
	}
	return report.Removals("erase-"+run.Config.Name, "What predictions lose with their words",
		fmt.Sprintf("%s · %s of %s · dotted: whole reviews · comprehensiveness, sufficiency: fall of the predicted class's probability, with 95 %% intervals",
			run.Label(), reviews(e.Reviews), run.Config.Data.Name), shares, accuracy, without, alone)
}

func removalLine(name string, list []infer.Mean) report.RemovalLine {
	l := report.RemovalLine{Name: name}
	for _, m := range list {
		l.Y, l.Error = append(l.Y, m.Mean), append(l.Error, m.Half)
	}
	return l
}
