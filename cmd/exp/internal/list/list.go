// Package list is exp list: the experiments.
package list

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/internal/term"
)

// New returns exp list.
func New(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the experiments, with the published test accuracies",
		Example: "  exp list\n  exp list | cut -f1",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return list(a) },
	}
}

func list(a *cli.App) error {
	t := term.NewTable(
		term.Column{Head: "name"}, term.Column{Head: "group", Optional: 1}, term.Column{Head: "model", Optional: 2},
		term.Column{Head: "published"}, term.Column{Head: "shows"})
	for _, e := range experiments.All() {
		t.Add(e.Name, e.Group, e.Model, published(e), e.Shows)
	}
	t.Print(a.IO)
	if a.IO.Terminal() {
		a.Printf("\n%s\n", a.Wrap("published: test accuracy in percent. The name of a group, such as tme9, runs all its rows.", "", "  "))
		a.Printf("next: %s, or %s\n", a.Command("show", "tme9-lstm"), a.Command("run", "tme9-lstm"))
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
