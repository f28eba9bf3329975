package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// CompleteRun completes experiments, groups, and the settings of the experiment that is named first, with
// the choices of a setting.
func (a *App) CompleteRun(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var out []string
	groups := map[string]bool{}
	for _, e := range experiments.All() {
		if !groups[e.Group] {
			groups[e.Group] = true
			out = append(out, e.Group+"\tall experiments of the group")
		}
		out = append(out, e.Name+"\t"+e.Shows)
	}
	if len(args) == 0 {
		return out, cobra.ShellCompDirectiveNoSpace
	}
	e, err := experiments.Lookup(args[0])
	if err != nil {
		return out, cobra.ShellCompDirectiveNoSpace
	}
	p, err := plan.New(plan.Base{Experiment: e}, "sample", nil)
	if err != nil {
		return out, cobra.ShellCompDirectiveNoSpace
	}
	for _, s := range p.Set.All() {
		out = append(out, s.Key+"=\t"+s.Help)
		if strings.HasPrefix(word, s.Key+"=") {
			for _, c := range append(s.Choices, a.DataChoices(s.Key)...) {
				out = append(out, s.Key+"="+c)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoSpace
}

// DataChoices returns the values of data and vectors, including installed ones.
func (a *App) DataChoices(key string) []string {
	kinds, out := []folder.Kind{folder.CorpusKind, folder.PairsKind}, []string{"auto", "sample", phrases.Name}
	switch key {
	case "data":
	case "vectors":
		kinds, out = []folder.Kind{folder.VectorsKind}, []string{"auto", "corpus", "random"}
	default:
		return nil
	}
	if dir, err := a.Data(); err == nil {
		items, _ := folder.Installed(dir)
		for _, i := range items {
			if slices.Contains(kinds, i.Kind) {
				out = append(out, i.Name)
			}
		}
	}
	return out
}

// CompleteRuns completes the name of a run.
func (a *App) CompleteRuns(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	out := []string{"@last\tthe run started last; after a search the best trial"}
	list, _ := runs.List(a.Runs)
	names := map[string]bool{}
	for _, r := range list {
		if !names[r.Config.Name] {
			names[r.Config.Name] = true
			out = append(out, r.Config.Name)
		}
		out = append(out, fmt.Sprintf("%s\t%s, %s, %s", r.Config.ID, r.Config.Name, a.Names().About(&r.Config), r.Status))
	}
	return out, cobra.ShellCompDirectiveDefault
}
