package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// OnlyCommands refuses arguments of a command that has only subcommands.
func OnlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, args[0]) {
			return fmt.Errorf("unknown command %q; did you mean %s?", args[0], c.CommandPath())
		}
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q%s; %s --help lists all", args[0], settings.Nearest(args[0], names), cmd.CommandPath())
}

// Words checks how many words a command gets. With fewer than min, the error is the text missing. A
// max of 0 allows any number.
func Words(min, max int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return errors.New(missing)
		case max > 0 && len(args) > max:
			return fmt.Errorf("%q is one word too many: %s takes %d", args[max], cmd.CommandPath(), max)
		}
		return nil
	}
}

// NoArguments refuses arguments of a command that takes only flags.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q: %s takes only flags; %s --help lists them", args[0], cmd.CommandPath(), cmd.CommandPath())
}

// Command returns the command line of exp with these words and the current folders.
func (a *App) Command(words ...string) string {
	if a.Runs != defaultRuns {
		words = append(words[:len(words):len(words)], "--runs", a.Runs)
	}
	if a.dataDir != "" {
		words = append(words[:len(words):len(words)], "--data-dir", a.dataDir)
	}
	return CommandLine(words...)
}

// CommandLine returns the command line of exp with these words. Under go run it begins with go run.
func CommandLine(words ...string) string {
	exp := "exp"
	if path, err := os.Executable(); err == nil {
		name := strings.TrimSuffix(filepath.Base(path), ".exe")
		if name == exp && strings.Contains(filepath.ToSlash(path), "/go-build") {
			exp = "go run ./cmd/exp"
		}
	}
	for _, w := range words {
		exp += " " + Quoted(w)
	}
	return exp
}

var controls = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// Quoted quotes a word for a shell if necessary.
func Quoted(w string) string {
	special := func(r rune) bool {
		return !strings.ContainsRune("=.,-_/:@%+", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if w != "" && !strings.ContainsFunc(w, special) {
		return w
	}
	if term.Line(w) != w { // as bash and zsh read it
		return "$'" + term.Visible(controls.Replace(w)) + "'"
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// CompleteRun completes experiments, groups, and the settings of the experiment that is named first, with
// the choices of a setting.
func (a *App) CompleteRun(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, e := range experiments.All() {
		if group := e.Group + "\tall experiments of the group"; !slices.Contains(out, group) {
			out = append(out, group)
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
	for _, r := range list {
		if !slices.Contains(out, r.Config.Name) {
			out = append(out, r.Config.Name)
		}
		out = append(out, fmt.Sprintf("%s\t%s, %s, %s", r.Config.ID, r.Config.Name, a.Names().About(&r.Config), r.Status))
	}
	return out, cobra.ShellCompDirectiveDefault
}
