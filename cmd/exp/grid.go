package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments"
)

// runGrid trains several plans, a line each. What fails is told and does not
// keep the others from being trained.
func (a *app) runGrid(ctx context.Context, r *experiments.Runner, plans []*experiments.Plan, b *board) error {
	labels := gridLabels(plans)
	a.gridOverrides(plans)
	a.printf("%d runs\n", len(plans))
	var failed error
	bad := 0
	for i, p := range plans {
		head := fmt.Sprintf("[%d/%d] %s: ", i+1, len(plans), labels[i])
		w := newProgress(a.io, p, false)
		out, err := a.train(ctx, r, p, w, b)
		switch {
		case done(ctx, err):
			fmt.Fprintf(a.io.Err, "exp: stopped in %s after epoch %d of %d, with %d of %d runs done; what is kept is whole. Go on: %s\n",
				labels[i], w.epoch(), p.Run.Epochs, i-bad, len(plans), commandLine(a.args...))
			return reported{err}
		case err != nil:
			bad++
			fmt.Fprintf(a.io.Err, "exp: %s%v\n", head, err)
			failed = worst(failed, err)
			continue
		}
		line, err := a.gridLine(out)
		if err != nil {
			return err
		}
		a.printf("%s\n", a.wrap(head+line, "", "  "))
	}
	if failed != nil {
		fmt.Fprintf(a.io.Err, "exp: %d of %d runs failed\n", bad, len(plans))
		return reported{failed}
	}
	a.printf("next: %s\n", a.command("report"))
	return nil
}

// gridOverrides prints each override once, with the experiments that it is for
// where others do without.
func (a *app) gridOverrides(plans []*experiments.Plan) {
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

func (a *app) gridLine(out *experiments.Outcome) (string, error) {
	m, err := out.Run.Chosen()
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("test %s %%, loss %s", number(m.TestAcc, 2), number(m.TestLoss, 3))
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
	if _, diverged := errors.AsType[*experiments.DivergedError](old); diverged {
		return err
	}
	return old
}

// gridLabels names each plan by its experiment and by what tells it apart from
// its neighbours.
func gridLabels(plans []*experiments.Plan) []string {
	byName := map[string][]*experiments.Plan{}
	for _, p := range plans {
		byName[p.Experiment.Name] = append(byName[p.Experiment.Name], p)
	}
	out := make([]string, len(plans))
	for i, p := range plans {
		out[i] = p.Experiment.Name
		for _, k := range experiments.Differing(byName[p.Experiment.Name]) {
			if s, _ := p.Set.Get(k); !p.Follows(k) {
				out[i] += " " + k + "=" + s.Value
			}
		}
	}
	return out
}
