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
live page show it. It changes no result.

RUN is a run, or a name of several, such as tme9-lstm or 'tme9-lstm[optimizer=sgd]'. A note is
one line. It is kept in remarks.json in the run's folder; another note replaces it.`,
		Example: "  exp runs note @last 'diverges without clipping'\n  exp runs note @last --remove",
	}
	of := func(text string) runs.Remarks { return runs.Remarks{Note: text} }
	return remark(a, cmd, of, func(m *runs.Remarks, own runs.Remarks, remove bool) string {
		before := m.Note
		switch m.Note = own.Note; {
		case remove && before == "":
			return "%s has no note"
		case remove:
			return "removed the note of %s: " + term.Line(before)
		case before != "" && before != own.Note:
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
show them. tag=WORD is a condition of --where and in names:
exp report --where tag=baseline, exp compare 'tme9-lstm[tag=baseline]' nbsvm.

RUN is a run, or a name of several, such as tme9-lstm or 'tme9-lstm[optimizer=sgd]'. A tag is a
word of letters, digits and . _ + - : /. It is kept in remarks.json in the run's folder.`,
		Example: "  exp runs tag tme9-lstm baseline\n  exp runs tag 4f2a91 baseline,paper\n  exp runs tag tme9-lstm paper --remove\n  exp runs list --where tag=baseline",
	}
	of := func(text string) (m runs.Remarks) {
		for word := range strings.SplitSeq(text, ",") {
			m.Tags = append(m.Tags, strings.TrimSpace(word))
		}
		return m
	}
	return remark(a, cmd, of, func(m *runs.Remarks, own runs.Remarks, remove bool) string {
		if !remove {
			m.Add(own.Tags...)
			return "tagged %s: " + strings.Join(m.Tags, ", ")
		}
		before := len(m.Tags)
		m.Tags = slices.DeleteFunc(m.Tags, func(t string) bool { return slices.Contains(own.Tags, t) })
		if len(m.Tags) == before {
			return "%s has no tag " + strings.Join(own.Tags, " or ")
		}
		return "removed " + strings.Join(own.Tags, ", ") + " from %s"
	})
}

// remark completes exp runs note or exp runs tag. of returns the remarks in the last word, which the
// removal of a note does not have; change returns what it has done to %s, a run.
func remark(a *cli.App, cmd *cobra.Command, of func(text string) runs.Remarks, change func(m *runs.Remarks, own runs.Remarks, remove bool) string) *cobra.Command {
	var remove bool
	name, last := cmd.Name(), strings.TrimPrefix(cmd.Use, cmd.Name()+" RUN… ")
	bare := func() bool { return remove && name == "note" }
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the "+name)
	cmd.ValidArgsFunction = a.CompleteRuns
	cmd.Args = func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return errors.New("name a run: exp runs list shows them")
		case len(args) == 1 && !bare():
			return fmt.Errorf("the %s is missing: exp runs %[1]s RUN %s", name, last)
		}
		return nil
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		own := runs.Remarks{}
		if n := len(args) - 1; !bare() {
			own, args = of(strings.TrimSpace(args[n])), args[:n]
			if err := own.Check(); err != nil {
				return cli.Usage(err)
			}
			if own.Note == "" && own.Tags == nil {
				return cli.Usage(errors.New("the note is empty; --remove removes one"))
			}
		}
		list, err := matching(a, args)
		if err != nil && len(args) > 1 {
			return fmt.Errorf("%w (a note of several words needs quotes, several tags need commas)", err)
		}
		for _, r := range list {
			said := ""
			if e := r.Remark(func(m *runs.Remarks) { said = change(m, own, remove) }); e != nil {
				err = errors.Join(err, e)
				continue
			}
			a.Say(strings.Replace(said, "%s", r.Label(), 1), "", "  ")
		}
		return err
	}
	return cmd
}
