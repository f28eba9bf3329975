package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
)

// runGrid trains several plans, a line each. What fails is told and does not
// keep the others from being trained, unless --fail-fast says so.
func (a *app) runGrid(ctx context.Context, r *training.Runner, plans []*plan.Plan, o runOptions, b *board) error {
	a.gridOverrides(plans)
	a.printf("%d %s%s\n", len(plans), counted(len(plans), "run"), a.shared(o, len(plans)))
	out := a.trainGrid(ctx, r, plans, gridLabels(plans), o, b)
	if err := out.close(ctx); err != nil {
		return err
	}
	a.printf("next: %s\n", a.command("report"))
	return nil
}

// shared says how runs share the machine, where several may go at a time.
func (a *app) shared(o runOptions, plans int) string {
	if o.jobs.jobs < 2 {
		return ""
	}
	jobs, workers := o.jobs.share(cores(), a.workers, plans)
	return fmt.Sprintf(", %d at a time on %d of %d cores each", jobs, workers, cores())
}

// trainGrid trains plans and shows them under their labels.
func (a *app) trainGrid(ctx context.Context, r *training.Runner, plans []*plan.Plan, labels []string, o runOptions, b *board) *gridOutcome {
	jobs, workers := o.jobs.share(cores(), a.workers, len(plans))
	s := newGridState(plans, labels, jobs)
	v := newGridView(a.io, s)
	out := &gridOutcome{app: a, view: v, plans: plans, results: map[int]parallel.Result{}}
	r.Loader.Progress, r.Loader.Vectors = v.reading, v.training
	g := &parallel.Grid{
		Runner: *r, Jobs: jobs, Workers: workers, FailFast: o.jobs.failFast,
		Hooks: func(i int) training.Hooks { return b.another().hooks(v.hooks(i)) },
		Waits: func(i int, need, free int64, alone bool) { v.line(waiting(s.labels[i], need, free, alone)) },
		Done: func(res parallel.Result) {
			out.add(res, b)
			if o.ended != nil {
				o.ended(res)
			}
		},
	}
	if err := g.Run(ctx, plans); err != nil { // in showing how a run ended
		out.bad++
		out.failed = worst(out.failed, err)
		v.fail("exp: " + err.Error())
	}
	v.stop()
	return out
}

// waiting says why a run does not start at once.
func waiting(label string, need, free int64, alone bool) string {
	if alone {
		return fmt.Sprintf("%s may need %s of memory and %s is free: if it is stopped for that, use a smaller batch or data.max_len", label, fileSize(need), fileSize(free))
	}
	return fmt.Sprintf("%s waits for memory: it needs about %s, %s is free", label, fileSize(need), fileSize(free))
}

// gridOutcome collects how the runs of a grid ended.
type gridOutcome struct {
	*app
	view   *gridView
	plans  []*plan.Plan
	failed error // the most telling one
	bad    int
	at     []string // where those stand that were stopped

	results map[int]parallel.Result // of the plans that have ended
}

// add tells how a plan ended.
func (g *gridOutcome) add(r parallel.Result, b *board) {
	label := g.view.state.labels[r.Index]
	head := fmt.Sprintf("[%d/%d] %s: ", r.Index+1, len(g.plans), label)
	var line string
	err := r.Err
	switch {
	case errors.Is(err, context.Canceled):
		g.at = append(g.at, g.view.position(r.Index))
		g.view.stopped(r.Index)
		return
	case err == nil:
		if r.Outcome.Skipped {
			b.another().finished(r.Outcome.Run)
		}
		line, err = g.gridLine(r.Outcome)
	}
	g.results[r.Index] = r
	if err != nil {
		g.bad++
		g.failed = worst(g.failed, err)
		r.Err = err
		g.view.end(r, "")
		g.view.fail("exp: " + head + err.Error())
		return
	}
	g.view.end(r, head+line)
}

// close says how the grid ended.
func (g *gridOutcome) close(ctx context.Context) error {
	s := g.view.state
	rest := len(g.plans) - len(g.results)
	if rest > 0 {
		where := ""
		if len(g.at) > 0 {
			where = " in " + strings.Join(g.at, "; in ")
		}
		fmt.Fprintf(g.io.Err, "exp: stopped%s, with %d of %d runs done; what is kept is whole. Go on: %s\n",
			where, s.done, len(g.plans), commandLine(g.args...))
	}
	if g.failed != nil {
		fmt.Fprintf(g.io.Err, "exp: %d of %d runs failed\n", g.bad, len(g.plans))
		return reported{g.failed}
	}
	if rest > 0 {
		return reported{ctx.Err()}
	}
	return nil
}

// gridOverrides prints each override once, with the experiments that it is for
// where others do without.
func (a *app) gridOverrides(plans []*plan.Plan) {
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
		a.printf("%s\n", a.wrap(line, "  ", "    "))
	}
}

func (a *app) gridLine(out *training.Outcome) (string, error) {
	m, err := out.Run.Chosen()
	if err != nil {
		return "", err
	}
	var scores []string
	if m.ValidAcc != nil {
		scores = append(scores, fmt.Sprintf("valid %s %%", number(m.ValidAcc, 2)))
	}
	switch {
	case m.TestExact != nil:
		scores = append(scores, fmt.Sprintf("test exact %s %%, BLEU %s, loss %s", number(m.TestExact, 2), number(m.TestBLEU, 2), number(m.TestLoss, 3)))
	case m.TestAcc != nil:
		scores = append(scores, fmt.Sprintf("test %s %%, loss %s", number(m.TestAcc, 2), number(m.TestLoss, 3)))
	}
	text := strings.Join(scores, ", ")
	if times, err := out.Run.Timing(); err == nil && !out.Skipped {
		var seconds float64
		for _, t := range times {
			seconds += t.Seconds
		}
		text += ", " + clock(seconds)
	}
	if out.Skipped {
		text += ", finished before (--force trains it again)"
	}
	return text + ", " + out.Run.Path, nil
}

// worst keeps the error with the more telling exit code: a failure before a
// divergence.
func worst(old, err error) error {
	if old == nil {
		return err
	}
	if _, diverged := errors.AsType[*training.DivergedError](old); diverged {
		return err
	}
	return old
}

// gridLabels names each plan by its experiment and by what tells it apart from
// its neighbours.
func gridLabels(plans []*plan.Plan) []string {
	byName := map[string][]*plan.Plan{}
	for _, p := range plans {
		byName[p.Experiment.Name] = append(byName[p.Experiment.Name], p)
	}
	out := make([]string, len(plans))
	for i, p := range plans {
		out[i] = p.Experiment.Name
		for _, k := range plan.Differing(byName[p.Experiment.Name]) {
			if s, _ := p.Set.Get(k); !p.Follows(k) {
				out[i] += " " + k + "=" + s.Value
			}
		}
	}
	return out
}
