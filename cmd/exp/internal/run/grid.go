package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/report"
)

// share describes how runs share the machine, if several are trained at a time.
func share(a *cli.App, j parallel.Jobs, plans int) string {
	if j.N < 2 {
		return ""
	}
	atOnce, workers := j.Share(runtime.GOMAXPROCS(0), a.Workers, plans)
	return fmt.Sprintf(", %d at a time on %d of %d cores each", atOnce, workers, runtime.GOMAXPROCS(0))
}

// runGrid trains several plans and prints a line for each. After a failure the others are still trained.
func runGrid(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, j parallel.Jobs) error {
	progress.Overrides(a.IO, plans...)
	a.Printf("%s%s\n", format.Counted(len(plans), "run"), share(a, j, len(plans)))
	g := train(ctx, a, r, plans, labelsOf(plans), j, nil)
	if err := g.close(ctx); err != nil {
		return err
	}
	g.unlearned()
	a.Printf("next: %s\n", a.Command("report"))
	return nil
}

// train trains plans and shows them with their labels. It calls ended, if it is not nil, when a run
// has ended.
func train(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, labels []string, j parallel.Jobs, ended func(parallel.Result)) *grid {
	atOnce, workers := j.Share(runtime.GOMAXPROCS(0), a.Workers, len(plans))
	out := &grid{App: a, view: progress.NewView(a.IO, plans, labels), labels: labels, results: map[int]parallel.Result{}}
	out.view.Watch(r)
	g := &parallel.Grid{
		Runner: *r, Jobs: atOnce, Workers: workers,
		Hooks: func(i int) training.Hooks { return out.view.Hooks(i) },
		Waits: func(i int, need, free int64) { out.view.Say(waiting(labels[i], need, free)) },
		Taken: func(i int, by error) {
			out.view.Say(fmt.Sprintf("%s is being trained by another process (%v); waiting for it when the others are done", labels[i], by))
		},
		Done: func(res parallel.Result) {
			if out.add(res); ended != nil {
				ended(res)
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
	return fmt.Sprintf("%s needs about %s of memory, and %s is free: it waits for other runs; if it is killed, use a smaller batch or data.max_len",
		label, format.Bytes(need), format.Bytes(free))
}

// grid collects the results of plans.
type grid struct {
	*cli.App
	view    *progress.View
	labels  []string
	worst   error // the most important one
	bad     int
	at      []string                // where runs were stopped
	results map[int]parallel.Result // of the plans that have ended
}

func (g *grid) add(r parallel.Result) {
	if errors.Is(r.Err, context.Canceled) {
		g.at = append(g.at, g.view.Stopped(r.Index))
		return
	}
	var text string
	if r.Err == nil {
		text, r.Err = line(r.Outcome)
	}
	g.results[r.Index] = r
	head := fmt.Sprintf("[%d/%d] %s: ", r.Index+1, len(g.labels), g.labels[r.Index])
	if r.Err != nil {
		g.fail(r.Err)
		g.view.End(r.Index, false, "exp: "+head+g.Explain(r.Err))
		return
	}
	g.view.End(r.Index, true, head+text)
}

func (g *grid) fail(err error) {
	g.bad++
	g.worst = worst(g.worst, err)
}

// close prints the end of the grid and returns its error.
func (g *grid) close(ctx context.Context) error {
	rest := len(g.labels) - len(g.results)
	if rest > 0 {
		where := ""
		if len(g.at) > 0 {
			where = " in " + strings.Join(g.at, "; in ")
		}
		fmt.Fprintf(g.IO.Err, "exp: stopped%s, with %d of %d runs done; the run folders are whole. Continue: %s\n",
			where, len(g.results)-g.bad, len(g.labels), cli.CommandLine(g.Args...))
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

// unlearned prints the first run that has not learned, with the cause, and the number of others.
func (g *grid) unlearned() {
	said, others := "", -1
	for i, label := range g.labels {
		r, ended := g.results[i]
		if !ended || r.Err != nil {
			continue
		}
		if text, cause := cli.NotLearned(r.Outcome.Run); text != "" {
			said, others = cmp.Or(said, label+strings.TrimPrefix(text, r.Outcome.Run.Config.Name)+" "+cause), others+1
		}
	}
	if others > 0 {
		said += fmt.Sprintf(" %s did not learn, either.", format.Counted(others, "other run"))
	}
	if said != "" {
		g.Say(said)
	}
}

// line returns the result of a run in a line.
func line(out *training.Outcome) (string, error) {
	text, err := cli.ResultLine(out.Run)
	text = strings.TrimPrefix(text, out.Run.Config.Name+": ")
	if out.Skipped {
		text += ", finished before (--force trains it again)"
	}
	if report.AtChance(out.Run) != nil {
		text += ", has not learned"
	}
	return text + ", " + out.Run.Path, err
}

// worst returns the error with the more important exit code: a failure before a divergence.
func worst(old, err error) error {
	if _, diverged := errors.AsType[*training.DivergedError](old); old == nil || diverged {
		return err
	}
	return old
}

// labelsOf names each plan by its experiment and the settings in which it differs from the other plans.
func labelsOf(plans []*plan.Plan) []string {
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
