// Package grid trains several runs and prints a line for each.
package grid

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/outcome"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// Options are the options of a grid.
type Options struct {
	Jobs  Jobs
	Ended func(parallel.Result) // called when a run has ended; may be nil
}

// Run trains several plans and prints a line for each. After a failure the others are still trained.
func Run(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, o Options) error {
	PrintOverrides(a.IO, plans)
	a.Printf("%s%s\n", format.Counted(len(plans), "run"), Shared(a, o.Jobs, len(plans)))
	out := Train(ctx, a, r, plans, Labels(plans), o)
	if err := out.Close(ctx); err != nil {
		return err
	}
	out.unlearned()
	a.Printf("next: %s\n", a.Command("report"))
	return nil
}

// Shared describes how runs share the machine, if several are trained at a time.
func Shared(a *cli.App, f Jobs, plans int) string {
	if f.N < 2 {
		return ""
	}
	jobs, workers := f.Share(Cores(), a.Workers, plans)
	return fmt.Sprintf(", %d at a time on %d of %d cores each", jobs, workers, Cores())
}

// Train trains plans and shows them with their labels.
func Train(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, labels []string, o Options) *Outcome {
	jobs, workers := o.Jobs.Share(Cores(), a.Workers, len(plans))
	out := &Outcome{App: a, view: progress.NewView(a.IO, plans, labels), labels: labels, Results: map[int]parallel.Result{}}
	out.view.Watch(r)
	g := &parallel.Grid{
		Runner: *r, Jobs: jobs, Workers: workers,
		Hooks: func(i int) training.Hooks { return out.view.Hooks(i) },
		Waits: func(i int, need, free int64) { out.view.Say(waiting(labels[i], need, free)) },
		Taken: func(i int, by error) {
			out.view.Say(fmt.Sprintf("%s is being trained by another process (%v); waiting for it when the others are done", labels[i], by))
		},
		Done: func(res parallel.Result) {
			out.add(res)
			if o.Ended != nil {
				o.Ended(res)
			}
		},
	}
	if err := g.Run(ctx, plans); err != nil { // a panic while a result was printed
		out.fail(err)
		out.view.Fail("exp: " + a.Explain(err))
	}
	out.view.Stop()
	return out
}

// waiting explains why a run does not start at once, or may be killed.
func waiting(label string, need, free int64) string {
	if need > free {
		return fmt.Sprintf("%s needs about %s of memory and %s is free; if it is killed, use a smaller batch or data.max_len", label, format.Bytes(need), format.Bytes(free))
	}
	return fmt.Sprintf("%s waits for memory: it needs about %s", label, format.Bytes(need))
}

// Outcome collects the results of a grid.
type Outcome struct {
	*cli.App
	view   *progress.View
	labels []string
	worst  error // the most important one
	bad    int
	at     []string // positions of stopped runs

	Results map[int]parallel.Result // of the plans that have ended
}

// add prints the result of a plan.
func (g *Outcome) add(r parallel.Result) {
	if errors.Is(r.Err, context.Canceled) {
		g.at = append(g.at, g.view.Stopped(r.Index))
		return
	}
	var line string
	if r.Err == nil {
		line, r.Err = Line(r.Outcome)
	}
	g.Results[r.Index] = r
	head := fmt.Sprintf("[%d/%d] %s: ", r.Index+1, len(g.labels), g.labels[r.Index])
	if r.Err != nil {
		g.fail(r.Err)
		g.view.End(r.Index, nil, "exp: "+head+g.Explain(r.Err))
		return
	}
	g.view.End(r.Index, r.Outcome.Run, head+line)
}

func (g *Outcome) fail(err error) {
	g.bad++
	g.worst = Worst(g.worst, err)
}

// Close prints the end of the grid and returns its error.
func (g *Outcome) Close(ctx context.Context) error {
	rest := len(g.labels) - len(g.Results)
	if rest > 0 {
		where := ""
		if len(g.at) > 0 {
			where = " in " + strings.Join(g.at, "; in ")
		}
		fmt.Fprintf(g.IO.Err, "exp: stopped%s, with %d of %d runs done; the run folders are whole. Continue: %s\n",
			where, len(g.Results)-g.bad, len(g.labels), cli.CommandLine(g.Args...))
	}
	if g.worst != nil {
		fmt.Fprintf(g.IO.Err, "exp: %d of %d runs failed\n", g.bad, len(g.labels))
	}
	switch {
	case rest > 0 && ctx.Err() != nil:
		return cli.Reported(ctx.Err())
	case g.worst != nil:
		return cli.Reported(g.worst)
	}
	return nil
}

// unlearned says once for each likely reason why runs have not learned.
func (g *Outcome) unlearned() {
	var texts []string
	of := map[string][]string{} // names of other runs by the text of the first
	for i := range g.labels {
		r, ended := g.Results[i]
		if !ended || r.Err != nil {
			continue
		}
		u := outcome.NotLearned(r.Outcome.Run)
		if u == nil {
			continue
		}
		k := slices.IndexFunc(texts, func(text string) bool { return strings.Contains(text, u.Reason(g.App)) })
		if k < 0 {
			texts = append(texts, u.Text(g.App))
		} else {
			of[texts[k]] = append(of[texts[k]], g.labels[i])
		}
	}
	for _, text := range texts {
		if more := of[text]; len(more) > 0 {
			text += ". The same holds for " + strings.Join(more, "; ")
		}
		g.Say(text, "", "  ")
	}
}

// PrintOverrides prints each override once, with its experiments if others do not have it.
func PrintOverrides(io *term.IO, plans []*plan.Plan) {
	var lines []string
	names := map[string][]string{}
	all := map[string]bool{}
	for _, p := range plans {
		all[p.Experiment.Name] = true
		for _, o := range p.Overrides() {
			line := o.From + ": " + strings.Join(o.Assignments, " ")
			if o.Follows && names[line] == nil {
				lines = append(lines, line)
			}
			if !slices.Contains(names[line], p.Experiment.Name) {
				names[line] = append(names[line], p.Experiment.Name)
			}
		}
	}
	for _, line := range lines {
		if n := names[line]; len(n) < len(all) {
			line += " (" + strings.Join(n, ", ") + ")"
		}
		io.Say(line, "  ", "    ")
	}
}

// Line returns the result of a run in a line.
func Line(out *training.Outcome) (string, error) {
	m, err := out.Run.Chosen()
	if err != nil {
		return "", err
	}
	var scores []string
	if m.ValidAcc != nil {
		scores = append(scores, fmt.Sprintf("valid %s %%", format.Optional(m.ValidAcc, 2)))
	}
	switch {
	case m.TestExact != nil:
		scores = append(scores, fmt.Sprintf("test exact %s %%, BLEU %s, loss %s", format.Optional(m.TestExact, 2), format.Optional(m.TestBLEU, 2), format.Optional(m.TestLoss, 3)))
	case m.TestAcc != nil:
		scores = append(scores, fmt.Sprintf("test %s %%, loss %s", format.Optional(m.TestAcc, 2), format.Optional(m.TestLoss, 3)))
	}
	if more := progress.More(&m); more != "" && m.TestExact == nil {
		scores = append(scores, more)
	} else if f1 := report.ReadAll([]*runs.Run{out.Run})[0].MacroF1; f1 == f1 { // own data
		scores = append(scores, fmt.Sprintf("macro-F1 %.2f %%", f1))
	}
	text := strings.Join(scores, ", ")
	if took := outcome.Took(out.Run); took != "" && !out.Skipped {
		text += ", " + took
	}
	if out.Skipped {
		text += ", finished before (--force trains it again)"
	}
	if outcome.NotLearned(out.Run) != nil {
		text += ", has not learned"
	}
	return text + ", " + out.Run.Path, nil
}

// Worst returns the error with the more important exit code: a failure before a divergence.
func Worst(old, err error) error {
	if old == nil {
		return err
	}
	if _, diverged := errors.AsType[*training.DivergedError](old); diverged {
		return err
	}
	return old
}

// Labels names each plan by its experiment and the settings in which it differs from the other plans.
func Labels(plans []*plan.Plan) []string {
	byName := map[string][]*plan.Plan{}
	for _, p := range plans {
		byName[p.Experiment.Name] = append(byName[p.Experiment.Name], p)
	}
	differing := map[string][]string{}
	for name, all := range byName {
		differing[name] = plan.Differing(all)
	}
	out := make([]string, len(plans))
	for i, p := range plans {
		out[i] = p.Experiment.Name
		for _, k := range differing[p.Experiment.Name] {
			asked := func(other *plan.Plan) bool { return other.Asked(k) }
			if s, _ := p.Set.Get(k); !p.Follows(k) && slices.ContainsFunc(byName[p.Experiment.Name], asked) {
				out[i] += " " + k + "=" + s.Value
			}
		}
	}
	return out
}

// Jobs decides how a grid shares the machine.
type Jobs struct {
	N     int
	Given bool // --workers was given
}

// Register adds the flags.
func (to *Jobs) Register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&to.N, "jobs", 1, "runs of a grid at a time, limited by cores and memory")
}

// Share returns the number of runs at a time and the cores of each, which together are at most the
// cores of the machine. Without --workers the cores are divided; with it, as many runs as fit.
func (f Jobs) Share(cores, workers, plans int) (jobs, each int) {
	jobs = max(1, min(f.N, cores, plans))
	if !f.Given {
		return jobs, max(1, min(workers, cores/jobs))
	}
	return max(1, min(jobs, cores/workers)), workers
}

// Cores returns the number of cores that this process may use.
func Cores() int { return runtime.GOMAXPROCS(0) }
