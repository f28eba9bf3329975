// Package show is exp show: an experiment or a run.
package show

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

// New returns exp show.
func New(a *cli.App) *cobra.Command {
	var svg, format string
	var all bool
	cmd := &cobra.Command{
		Use:   "show NAME [key=value…] | RUN",
		Short: "Show an experiment or a run, with its equation",
		Long: `Show an experiment: its weights, its settings with the reason for each, its equation
and its drawing. @last, an ID or a folder shows a run, with its results. Settings that have
their default are shown with --settings. --svg only writes the drawing, to a file, or to
the output with -. --format json has all of it for programs, csv and tsv the settings.`,
		Example: "  exp show tme9-lstm\n  exp show tme9-lstm variant=original optimizer=sgd\n  exp show tme10-self pool=cls --svg self.svg\n  exp show @last\n  exp show @last --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("the name is missing: %s lists the experiments; @last is the last run", a.Command("list"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("svg") {
				if cli.IsData(format) {
					return cli.Usagef("use --svg or --format, not both")
				}
				if err := cli.Ending("svg", svg, ".svg"); err != nil {
					return err
				}
				return showSVG(cmd.Context(), a, args, svg)
			}
			return show(cmd.Context(), a, args, all, format)
		},
	}
	cmd.Flags().StringVar(&svg, "svg", "", "only write the drawing, to this file (-: the output)")
	cmd.Flags().BoolVar(&all, "settings", false, "also show settings that have their default")
	cli.FormatFlag(cmd, &format, cli.ListFormats)
	return cmd
}

func show(ctx context.Context, a *cli.App, words []string, all bool, format string) error {
	s, err := find(ctx, a, words)
	switch {
	case err != nil:
		return err
	case cli.IsData(format):
		return s.write(a, format)
	case s.plan != nil:
		return showExperiment(ctx, a, s, words, all)
	}
	return showRun(a, s, words, all)
}

func showExperiment(ctx context.Context, a *cli.App, s *subject, words []string, all bool) error {
	io, p := a.IO, s.plan
	io.Say(io.Paint(term.Bold, p.Experiment.Name) + " (group " + p.Experiment.Group + "): " + p.Experiment.Shows)
	if r := p.Published; r != nil {
		io.Heading("published")
		losses := [2]string{}
		if r.TestLoss > 0 { // the published notebook logged none
			losses = [2]string{fmt.Sprintf(", loss %.3f", r.TestLoss), fmt.Sprintf(", %.3f", r.TrainLoss)}
		}
		text := fmt.Sprintf("%s: test accuracy %.2f %%%s; train %.2f %%%s; after %s (%s)",
			r.Row, r.TestAcc, losses[0], r.TrainAcc, losses[1], format.Counted(r.Epochs, "epoch"), r.Source)
		if r.Note != "" {
			text += "; " + r.Note
		}
		io.SayIndented(text, "  ", "    ")
	}
	if err := printPlanWeights(ctx, io, s.dir, p); err != nil {
		return err
	}
	printSettings(a, p.Settings(), p.Why, words, all)
	printModel(io, s.info, p.Model, p.Experiment.Name)
	return nil
}

// weightTable returns a table of weights and a function that adds one. For an ensemble it has the weights
// of the first network, and a row for the others.
func weightTable() (t *term.Table, add func(name string, numbers int, dims ...int)) {
	t = term.NewTable(term.Left("name"), term.Left("shape"), term.Right("numbers"))
	others, sum := -1, 0 // row of the other networks, and the number of their weights
	return t, func(name string, numbers int, dims ...int) {
		k := models.Member(name)
		if k <= 1 {
			t.Add(name, shape(dims...), format.Thousands(numbers))
			return
		}
		if others < 0 {
			others = len(t.Rows)
			t.Add("", "alike", "")
		}
		sum += numbers
		t.Rows[others][0].Text, t.Rows[others][2].Text = fmt.Sprintf("members 2–%d", k), format.Thousands(sum)
	}
}

func shape(dims ...int) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = strconv.Itoa(d)
	}
	return strings.Join(parts, "×")
}

// printSettings prints all settings, or only those that differ from their default, with their
// reasons. words are those of the command.
func printSettings(a *cli.App, list []settings.Setting, why func(key string) string, words []string, all bool) {
	t := term.NewTable(term.Left("key"), term.Left("value"), term.Left("default").Drop(2), term.Left("from").Drop(1), term.Left("meaning; reason"))
	left := 0
	for _, s := range list {
		if s.From == "default" && !s.Changed() && !all {
			left++
			continue
		}
		if reason := why(s.Key); reason != "" {
			s.Help += "; here: " + reason
		}
		if !s.Changed() {
			s.Default = ""
		}
		t.Add(s.Key, s.Value, s.Default, s.From, s.Help)
	}
	a.Heading("settings")
	t.Text(a.IO, "  ")
	if left > 0 {
		a.SayIndented(fmt.Sprintf("%d more have their default: %s", left, a.Command(slices.Concat([]string{"show"}, words, []string{"--settings"})...)), "  ", "    ")
	}
}

// subject is what a command names: an experiment with settings, or a run.
type subject struct {
	info  models.Info
	model models.Model // nil if this program does not know the run's settings

	dir  string     // of data
	plan *plan.Plan // nil for a run
	run  *runs.Run
}

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
		return nil, cli.Usagef("%s is a group; show one of its experiments, such as %s", name, group[0].Name)
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
		return nil, cli.Usagef("these settings name %d runs; %s lists them", len(plans), a.Command(append([]string{"run", "--dry-run"}, words...)...))
	}
	p := plans[0]
	info, err := p.Experiment.Info()
	return &subject{info: info, model: p.Model, dir: dir, plan: p}, err
}

// facts is an experiment or a run in --format json.
type facts struct {
	Name      string          `json:"name"`
	Group     string          `json:"group,omitempty"`
	Shows     string          `json:"shows,omitempty"`
	Model     string          `json:"model"`
	Equations []string        `json:"equations"`
	Published *runs.Published `json:"published"`
	Settings  []setting       `json:"settings"`
	Run       *runFacts       `json:"run,omitempty"`
}

type setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	From    string `json:"from"` // who set it
	Meaning string `json:"meaning"`
	Reason  string `json:"reason,omitempty"` // of an experiment's own value
}

// runFacts are the facts of a run that its experiment does not have.
type runFacts struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	State string `json:"state"`
	Epoch int    `json:"epoch"`          // the chosen one; 0 before the end
	Cite  string `json:"cite,omitempty"` // of a finished run
	runs.Remarks
	Config   json.RawMessage    `json:"config"` // config.yaml
	Epochs   []runs.Metrics     `json:"epochs"` // metrics.jsonl, with test.json
	Sessions []runs.Environment `json:"sessions"`
}

// write writes an experiment or a run for programs: all of it as JSON, otherwise its settings.
func (s *subject) write(a *cli.App, format string) error {
	out := facts{Model: s.info.Name, Settings: []setting{}}
	if s.model != nil {
		out.Equations = s.info.Equations(s.model)
	}
	var list []settings.Setting
	why := func(string) string { return "" }
	var err error
	if p := s.plan; p != nil {
		out.Name, out.Group, out.Shows, out.Published = p.Experiment.Name, p.Experiment.Group, p.Experiment.Shows, p.Published
		list, why = p.Settings(), p.Why
	} else {
		out.Name, out.Published, list = s.run.Config.Name, s.run.Config.Published, plan.SettingsOf(&s.run.Config)
		out.Run, err = runData(s.run)
	}
	table := term.Records{{"key", "value", "default", "from", "meaning", "reason"}}
	for _, x := range list {
		v := setting{x.Key, x.Value, x.Default, x.From, x.Help, why(x.Key)}
		out.Settings = append(out.Settings, v)
		table = append(table, []string{v.Key, v.Value, v.Default, v.From, v.Meaning, v.Reason})
	}
	if format != "json" {
		return table.Write(a.Verbatim(), format)
	}
	return errors.Join(cli.WriteJSON(a.Verbatim(), out), err)
}

// runData reads the facts. With an error, some are missing.
func runData(run *runs.Run) (*runFacts, error) {
	out := &runFacts{ID: run.Config.ID, Path: run.Path, State: run.Present().State.String(), Epoch: run.ChosenEpoch()}
	config, err := infer.ConfigJSON(&run.Config)
	if err != nil {
		return nil, err
	}
	out.Config = json.RawMessage(config)
	if c, err := run.Citation(); err == nil {
		out.Cite = c.String()
	}
	var errs [3]error
	out.Remarks, errs[0] = run.Remarks()
	out.Epochs, errs[1] = run.Metrics()
	out.Sessions, errs[2] = run.Environments()
	return out, errors.Join(errs[:]...)
}
