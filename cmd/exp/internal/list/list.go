package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
	"imdbexp/internal/term"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the experiments, with the published test accuracies",
		Example: "  exp list\n  exp list | cut -f1",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.list() },
	}
}

func (a *app) list() error {
	t := term.NewTable(
		term.Column{Head: "name"}, term.Column{Head: "group", Optional: 1}, term.Column{Head: "model", Optional: 2},
		term.Column{Head: "published"}, term.Column{Head: "shows"})
	for _, e := range experiments.All() {
		t.Add(e.Name, e.Group, e.Model, published(e), e.Shows)
	}
	if err := t.Print(a.io); err != nil {
		return err
	}
	if a.io.Terminal() {
		a.printf("\n%s\n", a.wrap("published: test accuracy in percent. The name of a group, such as tme9, runs all its rows.", "", "  "))
		a.printf("next: %s, or %s\n", a.command("show", "tme9-lstm"), a.command("run", "tme9-lstm"))
	}
	return nil
}

// published returns the accuracies of an experiment's rows: "adam 82.99, sgd 81.56".
func published(e *experiments.Experiment) string {
	var parts []string
	for _, r := range e.Rows {
		if r.Published != nil {
			parts = append(parts, r.Optimizer+" "+strconv.FormatFloat(r.Published.TestAcc, 'f', 2, 64))
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, ", ")
}
