package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
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
	if advice := instead(cmd.Name(), args[0]); advice != "" {
		return fmt.Errorf("unknown command %q; %s", args[0], advice)
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

// Words checks the number of arguments of a command. With fewer than min, the error has the text missing. A
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

// CommandLine returns the command line of exp with these words.
func CommandLine(words ...string) string {
	line := "exp"
	for _, w := range words {
		line += " " + Quoted(w)
	}
	return line
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

// Complete completes the names of experiments, groups and runs and, behind an experiment, its settings and their
// choices.
func (a *App) Complete(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	out := []string{"@last\tthe run started last; after a search the best trial"}
	for _, e := range experiments.All() {
		if group := e.Group + "\tall experiments of the group"; !slices.Contains(out, group) {
			out = append(out, group)
		}
		out = append(out, e.Name+"\t"+e.Shows)
	}
	list, _ := runs.List(a.Runs)
	for _, r := range list {
		out = append(out, fmt.Sprintf("%s\t%s, %s, %s", r.Config.ID, r.Config.Name, a.Names().About(&r.Config), r.Status))
	}
	if len(args) == 0 {
		return out, cobra.ShellCompDirectiveNoSpace
	}
	if e, err := experiments.Lookup(args[0]); err == nil {
		if p, err := plan.New(plan.Base{Experiment: e}, "sample", nil); err == nil {
			for _, s := range p.Set.All() {
				if out = append(out, s.Key+"=\t"+s.Help); strings.HasPrefix(word, s.Key+"=") {
					for _, c := range s.Choices {
						out = append(out, s.Key+"="+c)
					}
				}
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoSpace
}
