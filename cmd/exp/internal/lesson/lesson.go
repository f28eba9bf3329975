// Package lesson is exp lesson: attention, taught on the sample.
package lesson

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
)

type options struct {
	answers bool
	check   int
}

// New returns exp lesson; root makes the program's commands anew, for what a lesson has
// its readers type.
func New(a *cli.App, root func(*cli.App) *cobra.Command) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "lesson [N [ANSWER]]",
		Short: "Lessons on attention, each with commands, predictions and exercises",
		Long: `Lists the lessons, or prints one. They need no data and no network: everything is
trained on the embedded sample, in seconds, and every figure in them comes out on
any machine. Answers are hidden until --answers, or until they are right:
--check tells of an exercise's answer, a number or a letter.

exp lesson prepare makes what a class needs: the runs, a report, handouts.`,
		Example: "  exp lesson\n  exp lesson 1\n  exp lesson 1 --check 1 94.3\n  exp lesson 1 --answers",
		Args:    cobra.MaximumNArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			all, err := course()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var out []string
			for _, l := range all {
				out = append(out, fmt.Sprintf("%d\t%s", l.number, l.title))
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	cmd.Flags().BoolVar(&o.answers, "answers", false, "show the answers of the exercises, too")
	cmd.Flags().IntVar(&o.check, "check", 0, "say whether ANSWER solves the exercise of this `NUMBER`")
	cmd.AddCommand(newPrepare(a, root))
	return cmd
}

func (o options) run(a *cli.App, cmd *cobra.Command, args []string) error {
	given := cli.GivenFlags(cmd)
	switch {
	case len(args) == 0 && !given("check") && !given("answers"):
		return list(a)
	case len(args) == 0:
		return cli.Usage(errors.New("of which lesson? exp lesson lists them"))
	}
	l, err := find(args[0])
	switch {
	case err != nil:
		return cli.Usage(err)
	case given("check") && given("answers"):
		return cli.Usage(errors.New("--check and --answers: want one of them"))
	case given("check") && len(args) < 2:
		return cli.Usage(fmt.Errorf("what is the answer? exp lesson %d --check %d ANSWER", l.number, o.check))
	case given("check"):
		return o.judge(a.IO, l, args[1])
	case len(args) == 2:
		return cli.Usage(fmt.Errorf("an answer to which exercise? exp lesson %d --check EXERCISE %s", l.number, cli.Quoted(args[1])))
	}
	l.print(a.IO, o.answers)
	return nil
}

// judge says whether an answer is right; a wrong one is a failure of the command, too.
func (o options) judge(t *term.IO, l *lesson, given string) error {
	right, err := l.check(o.check, given)
	switch {
	case err != nil:
		return cli.Usage(err)
	case !right:
		return fmt.Errorf("lesson %d, exercise %d: %s is not it; exp lesson %d --answers tells what is, and why", l.number, o.check, given, l.number)
	}
	t.Printf("right\n")
	return nil
}

func list(a *cli.App) error {
	all, err := course()
	if err != nil {
		return err
	}
	t := term.NewTable(term.Column{Head: "lesson", Right: true}, term.Column{Head: "minutes", Right: true}, term.Column{Head: "exercises", Right: true, Optional: 1}, term.Column{Head: "title"})
	for _, l := range all {
		t.Add(strconv.Itoa(l.number), l.minutes, strconv.Itoa(len(l.answers())), l.title)
	}
	if err := t.Print(a.IO); err != nil {
		return err
	}
	if a.IO.Terminal() {
		a.Printf("\n")
		cli.Next(a.IO, [][2]string{
			{cli.CommandLine("lesson", "1"), "print the first"},
			{cli.CommandLine("lesson", "1", "--check", "2", "a"), "is this the answer of its second exercise?"},
			{cli.CommandLine("lesson", "prepare", "--out", "class"), "for teachers: runs, report and handouts"},
		})
	}
	return nil
}

// call carries out a command of a lesson in folders of its own.
func call(ctx context.Context, a *cli.App, root func(*cli.App) *cobra.Command, words ...string) error {
	own := &cli.App{IO: a.IO, Args: words}
	if err := cli.Call(ctx, root(own), words...); err != nil {
		return fmt.Errorf("%s: %w", cli.CommandLine(words...), err)
	}
	return nil
}

// words splits a command as a shell does, of which lessons use single quotes alone.
func words(command string) (out []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}
