package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
	"imdbexp/internal/term"
	"imdbexp/models"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME [key=value…] | RUN",
		Short: "Show an experiment's equation, settings and weights, or a run",
		Long: `Show an experiment: its equation, weights and settings, each with its value, its
default, who set it and why; or a run, with its results besides. The name of an
experiment shows the experiment; @last, an ID or a folder shows a run.`,
		Example: "  exp show tme9-lstm\n  exp show tme9-lstm variant=original optimizer=sgd\n  exp show @last",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("show what? %s lists the experiments; @last is the last run", a.command("list"))
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			names, directive := a.completeRun(cmd, args, word)
			list, _ := a.completeRuns(cmd, args, word)
			return append(names, list...), directive
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.show(cmd.Context(), args) },
	}
}

func (a *app) show(ctx context.Context, words []string) error {
	_, known := experiments.Lookup(words[0])
	isGroup := len(experiments.Group(words[0])) > 0
	switch {
	case known == nil && !isGroup:
		return a.showExperiment(ctx, words)
	case isGroup:
		return usage(fmt.Errorf("%s is a group; show one of its experiments: %s", words[0], strings.Join(membersOf(words[0]), ", ")))
	case len(words) > 1:
		return usage(known)
	}
	return a.showRun(words[0], known)
}

func membersOf(group string) []string {
	var out []string
	for _, e := range experiments.Group(group) {
		out = append(out, e.Name)
	}
	return out
}

func (a *app) showExperiment(ctx context.Context, words []string) error {
	dir, auto, err := a.auto()
	if err != nil {
		return err
	}
	plans, err := experiments.Resolve(words, auto.Data)
	if err != nil {
		return usage(err)
	}
	p := plans[0]
	if len(plans) > 1 {
		return usage(fmt.Errorf("these words name %d runs; %s shows them", len(plans), a.command(append([]string{"run", "--dry-run"}, words...)...)))
	}
	a.printf("%s\n", a.wrap(a.io.Paint(term.Bold, p.Experiment.Name)+" (group "+p.Experiment.Group+"): "+p.Experiment.Shows, "", "  "))
	if err := a.equation(p.Experiment.Model, p.Model); err != nil {
		return err
	}
	if r := p.Published; r != nil {
		a.heading("published")
		text := fmt.Sprintf("%s: test accuracy %.2f %%, loss %.3f; train %.2f %%, %.3f; after %d epochs (%s)",
			r.Row, r.TestAcc, r.TestLoss, r.TrainAcc, r.TrainLoss, r.Epochs, r.Source)
		if r.Note != "" {
			text += "; " + r.Note
		}
		a.printf("%s\n", a.wrap(text, "  ", "    "))
	}
	if err := a.planWeights(ctx, dir, p); err != nil {
		return err
	}
	a.heading("settings")
	t := settingsTable()
	for _, s := range p.Set.All() {
		why := p.Why(s.Key)
		t.add(s.Key, s.Value, s.Default, s.From, why, s.Help)
	}
	return t.Text(a.io, "  ")
}

func (a *app) heading(text string) { a.printf("\n%s\n", a.io.Paint(term.Bold, text)) }

// equation prints a model as its formulas.
func (a *app) equation(name string, m models.Model) error {
	info, err := models.Lookup(name)
	if err != nil {
		return err
	}
	a.heading("model " + info.Name + ": " + info.Title)
	for _, l := range info.Equations(m) {
		a.printf("  %s\n", l)
	}
	a.printf("%s\n", a.wrap("source: "+info.Source, "  ", "    "))
	return nil
}

func weightsTable() *term.Table {
	return term.NewTable(term.Column{Head: "name"}, term.Column{Head: "shape"}, term.Column{Head: "numbers", Right: true})
}

func shape(dims ...int) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = strconv.Itoa(d)
	}
	return strings.Join(parts, "×")
}

// settingsRows is the table of settings.
type settingsRows struct{ *term.Table }

func settingsTable() settingsRows {
	return settingsRows{term.NewTable(term.Column{Head: "key"}, term.Column{Head: "value"}, term.Column{Head: "default", Optional: 2},
		term.Column{Head: "from", Optional: 1}, term.Column{Head: "what it is; why it is so"})}
}

func (t settingsRows) add(key, value, def, from, why, help string) {
	if value == def && from == "default" {
		from = ""
	}
	if why != "" {
		help += "; here: " + why
	}
	if def == value {
		def = ""
	}
	t.Add(key, value, def, from, help)
}
