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

// CompleteRun completes experiments, groups, YAML files, and the settings of the
// experiments named so far.
func (a *App) CompleteRun(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if key, _, value := strings.Cut(word, "="); value {
		return a.completeSetting(args, key, true), cobra.ShellCompDirectiveNoFileComp
	}
	out := append(experimentNames(), a.completeSetting(args, word, false)...)
	return out, cobra.ShellCompDirectiveNoSpace
}

// completeSetting returns key= of the settings that begin so, or with values the
// choices of that key.
func (a *App) completeSetting(args []string, key string, values bool) []string {
	var out []string
	for _, name := range args {
		e, err := experiments.Lookup(name)
		if err != nil {
			continue
		}
		p, err := plan.New(plan.Base{Experiment: e}, "sample", nil)
		if err != nil {
			continue
		}
		for _, s := range p.Set.All() {
			switch {
			case !values && strings.HasPrefix(s.Key, key):
				out = append(out, s.Key+"=\t"+s.Help)
			case values && s.Key == key:
				for _, c := range append(s.Choices, a.DataChoices(key)...) {
					out = append(out, key+"="+c)
				}
			}
		}
		return out
	}
	return out
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
	out := []string{"@last\tthe run started last"}
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

func experimentNames() []string {
	var out []string
	groups := map[string]bool{}
	for _, e := range experiments.All() {
		if !groups[e.Group] {
			groups[e.Group] = true
			out = append(out, e.Group+"\tall experiments of the group")
		}
		out = append(out, e.Name+"\t"+e.Shows)
	}
	return out
}
