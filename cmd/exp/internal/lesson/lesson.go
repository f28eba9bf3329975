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

// New returns exp lesson. root returns the commands of the program, with which lesson prepare
// trains.
func New(a *cli.App, root func(*cli.App) *cobra.Command) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "lesson [LESSON [ANSWER | EXERCISE]]",
		Short: "Lessons on attention, with commands, predictions and exercises",
		Example: `  exp lesson                       list the lessons
  exp lesson 1                     print the first one
  exp lesson 1 --check 1 94.3      is 94.3 the answer of its exercise 1?
  exp lesson 1 --answers 1         show the solution of exercise 1
  exp lesson 1 --answers           show all solutions`,
		Long: `Lists the lessons, or prints one. Lessons need no data and no network: you train
on the embedded sample, in seconds, and get the numbers that the lesson shows.
Solutions are hidden until you ask for them. --check takes a number (0.943,
94,3 % and ln 2 are fine) or a letter; after a wrong answer it gives a hint.

exp lesson prepare makes what a class needs: runs, a report, and handouts.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	cmd.Flags().BoolVar(&o.answers, "answers", false, "show the solutions, or that of one EXERCISE")
	cmd.Flags().IntVar(&o.check, "check", 0, "check ANSWER for the exercise with this `NUMBER`")
	cmd.AddCommand(newPrepare(a, root))
	return cmd
}

func (o options) run(a *cli.App, cmd *cobra.Command, args []string) error {
	given := cli.GivenFlags(cmd)
	switch {
	case len(args) == 0 && !given("check") && !given("answers"):
		return list(a)
	case len(args) == 0:
		return cli.Usage(errors.New("the number of a lesson is missing; exp lesson lists them"))
	}
	l, err := find(args[0])
	switch {
	case err != nil:
		return cli.Usage(err)
	case given("check") && given("answers"):
		return cli.Usage(errors.New("--check and --answers exclude each other"))
	case given("check") && len(args) < 2:
		return cli.Usage(fmt.Errorf("the answer is missing: exp lesson %d --check %d ANSWER", l.number, o.check))
	case given("check"):
		return o.judge(a.IO, l, args[1])
	case o.answers && len(args) == 2:
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 || n > len(l.exercises) {
			return cli.Usage(fmt.Errorf("lesson %d has no exercise %q: its exercises are 1 to %d", l.number, args[1], len(l.exercises)))
		}
		l.print(a.IO, n)
	case len(args) == 2:
		return cli.Usage(fmt.Errorf("the exercise is missing: exp lesson %d --check EXERCISE %s", l.number, cli.Quoted(args[1])))
	case o.answers:
		l.print(a.IO, -1)
	default:
		l.print(a.IO, 0)
	}
	return nil
}

// judge checks an answer. A wrong one is an error, with a hint.
func (o options) judge(t *term.IO, l *lesson, given string) error {
	right, err := l.check(o.check, given)
	switch {
	case err != nil:
		return cli.Usage(err)
	case !right:
		hint := l.exercises[o.check-1].hint
		return fmt.Errorf("lesson %d, exercise %d: %s is not right. Hint: %s exp lesson %d --answers %d shows the solution", l.number, o.check, given, hint, l.number, o.check)
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
		t.Add(strconv.Itoa(l.number), l.minutes, strconv.Itoa(len(l.exercises)), l.title)
	}
	if err := t.Print(a.IO); err != nil {
		return err
	}
	if a.IO.Terminal() {
		a.Printf("\n")
		cli.Next(a.IO, [][2]string{
			{cli.CommandLine("lesson", "1"), "print the first"},
			{cli.CommandLine("lesson", "1", "--check", "2", "a"), "check an answer of its exercise 2"},
			{cli.CommandLine("lesson", "prepare", "--out", "class"), "for teachers: runs, report and handouts"},
		})
	}
	return nil
}

// call runs a command of exp.
func call(ctx context.Context, a *cli.App, root func(*cli.App) *cobra.Command, words ...string) error {
	own := &cli.App{IO: a.IO, Args: words}
	if err := cli.Call(ctx, root(own), words...); err != nil {
		return fmt.Errorf("%s: %w", cli.CommandLine(words...), err)
	}
	return nil
}

// words splits a command like a shell; lessons use single quotes only.
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
