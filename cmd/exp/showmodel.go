package main

import (
	"fmt"
	"strings"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// shown is what the words of a command name: an experiment with settings, a run,
// or a model by itself.
type shown struct {
	info  models.Info
	model models.Model // nil where this program does not know the run's settings

	dir  string     // of data
	plan *plan.Plan // of an experiment
	run  *runs.Run
	set  *settings.Set // of a model by itself
}

// shown looks words up.
func (a *app) shown(words []string) (*shown, error) {
	name := words[0]
	_, unknown := experiments.Lookup(name)
	if unknown == nil {
		return a.shownPlan(words)
	}
	if len(experiments.Group(name)) > 0 {
		return nil, usage(fmt.Errorf("%s is a group; show one of its experiments: %s", name, strings.Join(membersOf(name), ", ")))
	}
	if info, err := models.Lookup(name); err == nil {
		return shownModel(info, words[1:])
	}
	if len(words) > 1 {
		return nil, usage(unknown)
	}
	run, err := runs.Find(a.runs, name)
	if err != nil {
		return nil, fmt.Errorf("%w; and %w", err, unknown)
	}
	s := shownRun(run)
	return &s, nil
}

// shownRun is a run with its model, as far as this program knows it.
func shownRun(run *runs.Run) shown {
	info, err := models.Lookup(run.Config.Model)
	if err != nil {
		info = models.Info{Name: run.Config.Model}
	}
	return shown{info: info, model: modelOf(&run.Config), run: run}
}

func (a *app) shownPlan(words []string) (*shown, error) {
	dir, auto, err := a.auto()
	if err != nil {
		return nil, err
	}
	plans, err := plan.Resolve(words, auto.Data)
	if err != nil {
		return nil, usage(err)
	}
	if len(plans) > 1 {
		return nil, usage(fmt.Errorf("these words name %d runs; %s shows them", len(plans), a.command(append([]string{"run", "--dry-run"}, words...)...)))
	}
	p := plans[0]
	info, err := p.Experiment.Info()
	return &shown{info: info, model: p.Model, dir: dir, plan: p}, err
}

// shownModel is a model with settings of its own.
func shownModel(info models.Info, assignments []string) (*shown, error) {
	m := info.New()
	set, err := settings.New(m)
	if err != nil {
		return nil, err
	}
	if err := set.Apply(plan.FromCommandLine, assignments...); err != nil {
		return nil, usage(err)
	}
	if c, ok := m.(models.Checker); ok {
		if err := c.Check(); err != nil {
			return nil, usage(err)
		}
	}
	return &shown{info: info, model: m, set: set}, nil
}

// showModel shows a model by itself.
func (a *app) showModel(s *shown) error {
	a.model(s.info, s.model, "")
	a.heading("settings")
	t := settingsTable()
	for _, v := range s.set.All() {
		t.add(v.Key, v.Value, v.Default, v.From, "", v.Help)
	}
	if err := t.Text(a.io, "  "); err != nil {
		return err
	}
	var rows [][2]string
	for _, e := range experiments.All() {
		if e.Model == s.info.Name {
			rows = append(rows, [2]string{a.command("show", e.Name), e.Shows})
		}
	}
	if len(rows) > 0 {
		a.printf("\n")
		a.commands(rows)
	}
	return nil
}

func modelNames() []string {
	var out []string
	for _, name := range models.Names() {
		info, _ := models.Lookup(name)
		out = append(out, name+"\tmodel: "+info.Title)
	}
	return out
}
