package show

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// subject is what a command names: an experiment with settings, or a run.
type subject struct {
	info  models.Info
	model models.Model // nil if this program does not know the run's settings

	dir  string     // of data
	plan *plan.Plan // nil for a run
	run  *runs.Run
}

// find looks up a name and its settings.
func find(ctx context.Context, a *cli.App, words []string) (*subject, error) {
	name := words[0]
	if err := settings.Twice(words); err != nil {
		return nil, cli.Usage(err)
	}
	_, unknown := experiments.Lookup(name)
	if ext := filepath.Ext(name); unknown == nil || ext == ".yaml" || ext == ".yml" {
		return shownPlan(ctx, a, words)
	}
	if group := experiments.Group(name); len(group) > 0 {
		return nil, cli.Usage(fmt.Errorf("%s is a group; show one of its experiments, such as %s", name, group[0].Name))
	}
	if _, err := models.Lookup(name); err == nil {
		var of []string
		for _, e := range experiments.All() {
			if e.Model == name {
				of = append(of, e.Name)
			}
		}
		return nil, cli.Usage(fmt.Errorf("%s is a model; show an experiment with it: %s", name, cli.OneOf(of)))
	}
	if len(words) > 1 {
		return nil, cli.Usage(unknown)
	}
	run, err := a.RunOf(name)
	if err != nil {
		if strings.ContainsAny(name, `/\\`) { // a folder, not an experiment
			return nil, err
		}
		return nil, fmt.Errorf("%w; and %w", err, unknown)
	}
	s := shownRun(run)
	return &s, nil
}

// shownRun is a run, with its model if this program knows it.
func shownRun(run *runs.Run) subject {
	info, err := models.Lookup(run.Config.Model)
	if err != nil {
		info = models.Info{Name: run.Config.Model}
	}
	return subject{info: info, model: plan.ModelOf(&run.Config), run: run}
}

func shownPlan(ctx context.Context, a *cli.App, words []string) (*subject, error) {
	dir, auto, err := a.Auto()
	if err != nil {
		return nil, err
	}
	plans, err := plan.Resolve(ctx, words, auto.Data)
	if err != nil {
		return nil, cli.Usage(err)
	}
	if _, err := (&plan.Adapter{Dir: dir}).Adapt(ctx, plans); err != nil {
		return nil, err
	}
	if len(plans) > 1 {
		return nil, cli.Usage(fmt.Errorf("these settings name %d runs; %s lists them", len(plans), a.Command(append([]string{"run", "--dry-run"}, words...)...)))
	}
	p := plans[0]
	info, err := p.Experiment.Info()
	return &subject{info: info, model: p.Model, dir: dir, plan: p}, err
}
