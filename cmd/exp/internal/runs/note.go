package runs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

func newNote(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "note RUN… TEXT",
		Short: "Write a note on runs",
		Long: `Write a note on runs, or remove it with --remove. exp runs list, exp show, exp report and the
live page show it. It changes no result. A note is one line; another note replaces it.`,
		Example: "  exp runs note @last 'diverges without clipping'\n  exp runs note @last --remove",
	}
	return remark(a, cmd, func(m *runs.Remarks, text string, remove bool) string {
		before := m.Note
		switch m.Note = text; {
		case remove:
			return "removed the note of %s: " + term.Line(before)
		case before != "" && before != text:
			return "noted %s; its note was: " + term.Line(before)
		}
		return "noted %s"
	})
}

func newTag(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tag RUN… TAG[,TAG…]",
		Short: "Tag runs",
		Long: `Tag runs, or remove tags with --remove. exp runs list, exp show, exp report and the live page
show them. tag=WORD is a condition of --where and in names: exp compare
'tme9-lstm[tag=baseline]' nbsvm. A tag is a word of letters, digits and . _ + - : /.`,
		Example: "  exp runs tag tme9-lstm baseline\n  exp runs tag 4f2a91 baseline,paper\n  exp runs tag tme9-lstm paper --remove\n  exp runs list --where tag=baseline",
	}
	return remark(a, cmd, func(m *runs.Remarks, text string, remove bool) string {
		tags := strings.Split(text, ",")
		for i := range tags {
			tags[i] = strings.TrimSpace(tags[i])
		}
		if remove {
			m.Tags = slices.DeleteFunc(m.Tags, func(t string) bool { return slices.Contains(tags, t) })
			return "removed " + text + " from %s"
		}
		m.Add(tags...)
		return "tagged %s: " + strings.Join(m.Tags, ", ")
	})
}

// remark completes exp runs note or exp runs tag, whose last word is the text; only the removal of a note has none.
// change changes the remarks of a run, and returns what it has done to %s, the run.
func remark(a *cli.App, cmd *cobra.Command, change func(m *runs.Remarks, text string, remove bool) string) *cobra.Command {
	var remove bool
	name := cmd.Name()
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the "+name)
	cmd.ValidArgsFunction = a.CompleteRuns
	cmd.Args = cli.Words(1, 0, "name a run: exp runs list shows them")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		text := ""
		if n := len(args) - 1; !remove || name == "tag" {
			var try runs.Remarks
			text, args = strings.TrimSpace(args[n]), args[:n]
			change(&try, text, false)
			if err := try.Check(); err != nil {
				return cli.Usage(err)
			}
			if n == 0 || text == "" {
				return cli.Usage(fmt.Errorf("the %s is missing: exp runs %s", name, cmd.Use))
			}
		}
		list, err := matching(a, args)
		if err != nil && len(args) > 1 {
			return fmt.Errorf("%w (a note of several words needs quotes, several tags need commas)", err)
		}
		for _, r := range list {
			said := ""
			if e := r.Remark(func(m *runs.Remarks) { said = change(m, text, remove) }); e != nil {
				err = errors.Join(err, e)
				continue
			}
			a.Say(strings.Replace(said, "%s", r.Label(), 1), "", "  ")
		}
		return err
	}
	return cmd
}
