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

// remark is exp runs note or exp runs tag.
type remark struct {
	name, last   string // of the command and of its last word
	long         string
	example      string
	of           func(text string) runs.Remarks // the remarks in the last word
	add, removed func(m *runs.Remarks, own runs.Remarks, label string) string
}

var note = remark{"note", "TEXT",
	`Write a note on runs, or remove it with --remove. exp runs list, exp show, exp report and the
live page show it. It changes no result.

RUN is a run, or a name of several, such as tme9-lstm or 'tme9-lstm[optimizer=sgd]'. A note is
one line. It is kept in remarks.json in the run's folder; another note replaces it.`,
	"  exp runs note @last 'diverges without clipping'\n  exp runs note @last --remove",
	func(text string) runs.Remarks { return runs.Remarks{Note: text} },
	func(m *runs.Remarks, own runs.Remarks, label string) string {
		before := ""
		if m.Note != "" && m.Note != own.Note {
			before = "; its note was: " + term.Line(m.Note)
		}
		m.Note = own.Note
		return "noted " + label + before
	},
	func(m *runs.Remarks, _ runs.Remarks, label string) string {
		if m.Note == "" {
			return label + " has no note"
		}
		said := "removed the note of " + label + ": " + term.Line(m.Note)
		m.Note = ""
		return said
	},
}

var tag = remark{"tag", "TAG[,TAG…]",
	`Tag runs, or remove tags with --remove. exp runs list, exp show, exp report and the live page
show them. tag=WORD is a condition of --where and in names:
exp report --where tag=baseline, exp compare 'tme9-lstm[tag=baseline]' nbsvm.

RUN is a run, or a name of several, such as tme9-lstm or 'tme9-lstm[optimizer=sgd]'. A tag is a
word of letters, digits and . _ + - : /. It is kept in remarks.json in the run's folder.`,
	"  exp runs tag tme9-lstm baseline\n  exp runs tag 4f2a91 baseline,paper\n  exp runs tag tme9-lstm paper --remove\n  exp runs list --where tag=baseline",
	func(text string) (m runs.Remarks) {
		for word := range strings.SplitSeq(text, ",") {
			m.Tags = append(m.Tags, strings.TrimSpace(word))
		}
		return m
	},
	func(m *runs.Remarks, own runs.Remarks, label string) string {
		m.Add(own.Tags...)
		return "tagged " + label + ": " + strings.Join(m.Tags, ", ")
	},
	func(m *runs.Remarks, own runs.Remarks, label string) string {
		before := len(m.Tags)
		m.Tags = slices.DeleteFunc(m.Tags, func(t string) bool { return slices.Contains(own.Tags, t) })
		if len(m.Tags) == before {
			return label + " has no tag " + strings.Join(own.Tags, " or ")
		}
		return "removed " + strings.Join(own.Tags, ", ") + " from " + label
	},
}

func (k remark) command(a *cli.App) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:               k.name + " RUN… " + k.last,
		Short:             map[string]string{"note": "Write a note on runs", "tag": "Tag runs"}[k.name],
		Long:              k.long,
		Example:           k.example,
		ValidArgsFunction: a.CompleteRuns,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("name a run: exp runs list shows them")
			case len(args) == 1 && !(remove && k.name == "note"):
				return fmt.Errorf("the %s is missing: exp runs %[1]s RUN %s", k.name, k.last)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return k.run(a, args, remove) },
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the "+k.name)
	return cmd
}

func (k remark) run(a *cli.App, args []string, remove bool) error {
	change, own := k.add, runs.Remarks{}
	if remove {
		change = k.removed
	}
	if n := len(args) - 1; !remove || k.name == "tag" {
		own, args = k.of(strings.TrimSpace(args[n])), args[:n]
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
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range list {
		said := ""
		err := r.Remark(func(m *runs.Remarks) { said = change(m, own, r.Label()) })
		if err == nil {
			a.Say(said, "", "  ")
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
