package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/internal/term"
)

// Help sets the form of the help of all commands: usage and examples first, then the text, the
// commands and the flags, as wide as the terminal.
func (a *App) Help(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		section := func(title, text string) {
			if text != "" {
				fmt.Fprintf(out, "%s:\n%s\n\n", title, strings.TrimRight(text, "\n"))
			}
		}
		usage := "  " + cmd.UseLine()
		if cmd.HasAvailableSubCommands() {
			usage += "\n  " + cmd.CommandPath() + " [command]"
		}
		section("Usage", usage)
		section("Examples", cmd.Example)
		text := cmd.Long
		if text == "" {
			text = cmd.Short
		}
		fmt.Fprintf(out, "%s\n\n", a.fitted(text))
		var commands strings.Builder
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				commands.WriteString(a.IO.Wrap(c.Short, fmt.Sprintf("  %-12s", c.Name()), strings.Repeat(" ", 14)) + "\n")
			}
		}
		section("Commands", commands.String())
		section("Flags", cmd.LocalFlags().FlagUsagesWrapped(a.Width()))
		if cmd.HasParent() {
			fmt.Fprintln(out, a.fitted(root.Name()+" --help shows the flags of all commands: --runs, --data-dir, --workers, --simd"))
		}
	})
}

// fitted breaks the paragraphs of a text that are wider than the terminal. A paragraph with columns
// stays as it is.
func (a *App) fitted(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if a.Width() > 0 && !strings.Contains(p, "  ") {
			paragraphs[i] = term.Wrap(strings.Join(strings.Fields(p), " "), a.Width(), "", "")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
