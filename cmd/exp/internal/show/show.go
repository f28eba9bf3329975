package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
	"imdbexp/internal/term"
)

func (a *app) showCommand() *cobra.Command {
	var svg string
	cmd := &cobra.Command{
		Use:   "show NAME [key=value…] | RUN",
		Short: "Show an experiment's or a model's drawing, equation and settings, or a run",
		Long: `Show an experiment: its drawing, equation, what to look for, weights and settings,
each with its value, its default, who set it and why; a model by itself; or a run,
with its results besides. The name of an experiment shows the experiment, that of
a model the model; @last, an ID or a folder shows a run. --svg only writes the
drawing, to a file or with - to the output.`,
		Example: "  exp show tme9-lstm\n  exp show tme9-lstm variant=original optimizer=sgd\n  exp show self pool=cls --svg self.svg\n  exp show @last",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("show what? %s lists the experiments; @last is the last run", a.command("list"))
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			names, directive := a.completeRun(cmd, args, word)
			list, _ := a.completeRuns(cmd, args, word)
			return append(append(names, list...), modelNames()...), directive
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("svg") {
				return a.showSVG(args, svg)
			}
			return a.show(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVar(&svg, "svg", "", "write the drawing of the model into this file (-: the output)")
	cmd.MarkFlagFilename("svg", "svg")
	return cmd
}

func (a *app) show(ctx context.Context, words []string) error {
	s, err := a.shown(words)
	switch {
	case err != nil:
		return err
	case s.plan != nil:
		return a.showExperiment(ctx, s)
	case s.run != nil:
		return a.showRun(s)
	}
	return a.showModel(s)
}

func membersOf(group string) []string {
	var out []string
	for _, e := range experiments.Group(group) {
		out = append(out, e.Name)
	}
	return out
}

func (a *app) showExperiment(ctx context.Context, s *shown) error {
	p := s.plan
	a.printf("%s\n", a.wrap(a.io.Paint(term.Bold, p.Experiment.Name)+" (group "+p.Experiment.Group+"): "+p.Experiment.Shows, "", "  "))
	a.model(s.info, p.Model, p.Experiment.Name)
	if r := p.Published; r != nil {
		a.heading("published")
		text := fmt.Sprintf("%s: test accuracy %.2f %%, loss %.3f; train %.2f %%, %.3f; after %d %s (%s)",
			r.Row, r.TestAcc, r.TestLoss, r.TrainAcc, r.TrainLoss, r.Epochs, counted(r.Epochs, "epoch"), r.Source)
		if r.Note != "" {
			text += "; " + r.Note
		}
		a.printf("%s\n", a.wrap(text, "  ", "    "))
	}
	if err := a.planWeights(ctx, s.dir, p); err != nil {
		return err
	}
	a.heading("settings")
	t := settingsTable()
	for _, s := range p.Settings() {
		why := p.Why(s.Key)
		t.add(s.Key, s.Value, s.Default, s.From, why, s.Help)
	}
	return t.Text(a.io, "  ")
}

func (a *app) heading(text string) { a.printf("\n%s\n", a.io.Paint(term.Bold, text)) }

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
