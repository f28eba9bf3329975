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
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the experiments, with the published test accuracies",
		Example: "  exp list\n  exp list | cut -f1\n  exp list --format json",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return list(a, format) },
	}
	cli.FormatFlag(cmd, &format, cli.ListFormats)
	return cmd
}

// listed is an experiment in --format json.
type listed struct {
	Name      string             `json:"name"`
	Group     string             `json:"group"`
	Model     string             `json:"model"`
	Published map[string]float64 `json:"published"` // test accuracy in percent by optimizer
	Shows     string             `json:"shows"`
}

func list(a *cli.App, format string) error {
	var values []listed
	t := term.NewTable(term.Left("name"), term.Left("group").Drop(1), term.Left("model").Drop(2), term.Left("published"), term.Left("shows"))
	for _, e := range experiments.All() {
		t.Add(e.Name, e.Group, e.Model, published(e), e.Shows)
		l := listed{e.Name, e.Group, e.Model, map[string]float64{}, e.Shows}
		for _, r := range e.Rows {
			if r.Published != nil {
				l.Published[r.Optimizer] = r.Published.TestAcc
			}
		}
		values = append(values, l)
	}
	if err := cli.PrintList(a.IO, format, t, values); err != nil {
		return err
	}
	if a.Terminal() && format == "text" {
		a.Say("published: test accuracy in percent. The name of a group, such as tme9, runs all its experiments: " + a.Command("run", "tme9"))
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
