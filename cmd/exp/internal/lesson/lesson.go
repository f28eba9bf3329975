// Package lesson is exp lesson: attention, taught on the sample.
package lesson

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/internal/term"
)

type options struct {
	answers        bool
	check          int
	lang, notebook string
}

// New returns exp lesson. root returns the commands of the program, with which lesson prepare
// trains.
func New(a *cli.App, root func(*cli.App) *cobra.Command) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "lesson [LESSON [ANSWER | EXERCISE]]",
		Short: "Lessons on attention, with commands, predictions and exercises",
		Example: `  exp lesson                       list the lessons
  exp lesson 1                     the first one, part by part
  exp lesson 1 --check 1 94.3      is 94.3 the answer of its exercise 1?
  exp lesson 1 --answers 1         show the solution of exercise 1
  exp lesson 1 --answers           show all solutions
  exp lesson 1 --lang fr           la première leçon, en français
  exp lesson 1 --notebook 1.ipynb  write it as a Jupyter notebook`,
		Long: `List the lessons, or show one part by part: it asks for your predictions and
compares them with the results, and you can type the commands where they stand.
A pipe gets the whole lesson. Lessons need no data and no network: you train on
the embedded sample, in seconds, and get the numbers that the lesson shows.

--check takes a letter, a number or a formula (0.943, 94,3 %, 3.77/48 and ln 2 are
fine). It gives the reason of a right answer, and a hint after a wrong one. What
commands print stays English with --lang fr.

exp lesson prepare makes what a class needs: runs, a report, and handouts.`,
		Args: cobra.ArbitraryArgs, // an answer may have several words
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, root, cmd, args) },
	}
	cmd.Flags().BoolVar(&o.answers, "answers", false, "show the solutions, or that of one EXERCISE")
	cmd.Flags().IntVar(&o.check, "check", 0, "check ANSWER for the exercise with this `NUMBER`")
	cmd.Flags().StringVar(&o.notebook, "notebook", "", "write the lesson to `FILE.ipynb`, a Jupyter notebook")
	cmd.PersistentFlags().StringVar(&o.lang, "lang", "en", "language of the lessons, en or fr")
	cmd.AddCommand(newPrepare(a, root, &o.lang))
	return cmd
}

// modes are the alternatives to showing a lesson part by part.
var modes = []cli.Mode{{Flags: []string{"check"}}, {Flags: []string{"answers"}}, {Flags: []string{"notebook"}}}

func (o options) run(a *cli.App, root func(*cli.App) *cobra.Command, cmd *cobra.Command, args []string) error {
	given := cli.GivenFlags(cmd)
	if err := cli.CheckModes(given, modes); err != nil {
		return cli.Usage(err)
	}
	if len(args) == 0 {
		if cli.Given(given, "check", "answers", "notebook") != "" {
			return cli.Usagef("the number of a lesson is missing; exp lesson lists them")
		}
		return list(a, o.lang)
	}
	l, err := find(args[0], o.lang)
	rest := strings.Join(args[1:], " ") // 94,3 % without quotes
	p := printer{lesson: l, t: a.IO}
	switch {
	case err != nil:
		return cli.Usage(err)
	case given("check") && rest == "":
		return cli.Usagef("the answer is missing: exp lesson %d --check %d ANSWER", l.number, o.check)
	case given("check"):
		return p.judge(o.check, rest)
	case o.answers && rest != "":
		if p.solution, err = l.exercise(rest); err != nil {
			return cli.Usage(err)
		}
	case rest != "":
		return cli.Usagef("the exercise is missing: exp lesson %d --check EXERCISE %s", l.number, cli.Quoted(rest))
	case o.answers:
		p.solution = -1
	case o.notebook != "":
		return o.write(a.IO, l)
	case a.Terminal() && a.Typed():
		ctx := cmd.Context()
		return p.walk(ctx, a.In, func(words ...string) {
			io := *a.IO
			io.In = nil // the lesson reads what is typed
			if err := call(ctx, &io, root, words...); err != nil && ctx.Err() == nil {
				a.Complain("exp: " + a.Explain(err))
			}
		})
	}
	return p.print()
}

// write writes the notebook. It overwrites nothing, because a notebook may hold a reader's answers.
func (o options) write(t *term.IO, l *lesson) error {
	if err := cli.Ending("notebook", o.notebook, ".ipynb"); err != nil {
		return err
	}
	if _, err := os.Lstat(o.notebook); err == nil {
		return fmt.Errorf("%s exists, perhaps with your answers: remove it, or choose another name", o.notebook)
	}
	return cli.Write(t, o.notebook, fmt.Sprintf("lesson %d as a Jupyter notebook", l.number), l.writeNotebook)
}

func list(a *cli.App, lang string) error {
	all, err := course(lang)
	if err != nil {
		return cli.Usage(err)
	}
	t := term.NewTable(term.Right("lesson"), term.Right("minutes"), term.Right("exercises").Drop(1), term.Left("title"))
	for _, l := range all {
		t.Add(strconv.Itoa(l.number), l.minutes, strconv.Itoa(len(l.exercises)), l.title)
	}
	t.Print(a.IO)
	if a.Terminal() {
		a.Printf("\nnext: exp lesson 1%s, or exp lesson --help\n", all[0].flag())
	}
	return nil
}

// call runs a command of exp.
func call(ctx context.Context, io *term.IO, root func(*cli.App) *cobra.Command, words ...string) error {
	cmd := root(&cli.App{IO: io, Args: words})
	cmd.SetArgs(words)
	if err := cmd.ExecuteContext(ctx); err != nil {
		return fmt.Errorf("%s: %w", cli.CommandLine(words...), err)
	}
	return nil
}

// words splits a command line like a shell, with quotes around whole words.
func words(command string) (out []string) {
	for _, m := range word.FindAllStringSubmatch(command, -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

var word = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)

func newPrepare(a *cli.App, root func(*cli.App) *cobra.Command, lang *string) *cobra.Command {
	var out string
	only, page := "", true
	cmd := &cobra.Command{
		Use:     "prepare --out DIR",
		Short:   "For teachers: make what a class needs",
		Example: "  exp lesson prepare --out class\n  exp lesson prepare --out class --only 1,2",
		Long: `Run every exp run of the lessons, with separate data and runs in DIR, and write
DIR/index.html with links to a report, to the lessons as pages with folded solutions, and
to a page of the models for a browser without a network (which needs a release, or Go and
a checkout). This takes a minute on two free cores. Runs that exist are not trained again.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return cli.Usagef("--out DIR is missing: the folder to write into")
			}
			chosen, err := course(*lang)
			if err != nil {
				return cli.Usage(err)
			}
			if only != "" {
				chosen = nil
				for word := range strings.SplitSeq(only, ",") {
					l, err := find(strings.TrimSpace(word), *lang)
					if err != nil {
						return cli.Usagef("--only: %w", err)
					}
					chosen = append(chosen, l)
				}
			}
			return prepare(cmd, a, root, out, chosen, page)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write into")
	cmd.Flags().StringVar(&only, "only", "", "lessons to train for, such as 1,2,5 (default: all)")
	cmd.Flags().BoolVar(&page, "page", true, "write page.html")
	return cmd
}

func prepare(cmd *cobra.Command, a *cli.App, root func(*cli.App) *cobra.Command, out string, chosen []*lesson, page bool) error {
	folders := []string{"--runs", filepath.Join(out, "runs"), "--data-dir", filepath.Join(out, "data")}
	for _, dir := range []string{folders[1], folders[3], filepath.Join(out, "handouts")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("%w; --out must be a folder", err)
		}
	}
	quiet := *a.IO
	quiet.Out = io.Discard
	exp := func(words ...string) error {
		return call(cmd.Context(), &quiet, root, slices.Concat(words, folders)...)
	}
	trained := map[string]bool{} // experiments with their default settings
	for _, l := range chosen {
		for _, m := range typing.FindAllStringSubmatch(l.linked, -1) {
			w := words(m[1])
			if w[1] != "run" {
				continue
			}
			if err := exp(w[1:]...); err != nil {
				return err
			}
			for _, name := range w[2:] {
				trained[name] = trained[name] || !strings.Contains(m[1], "=")
			}
		}
		a.Printf("lesson %d: trained\n", l.number)
	}
	if err := exp("report", "--out", filepath.Join(out, "report")); err != nil {
		return err
	}
	if err := handouts(filepath.Join(out, "handouts"), chosen[0].lang); err != nil {
		return err
	}
	in := chosen[0].in
	index := in("# Attention: what is prepared") + "\n\n" +
		in("- [The lessons](handouts/index.html), and a page [for teachers](handouts/teachers.html)") + "\n" +
		in("- [The report](report/report.html) on the runs of the lessons") + "\n"
	onPage := slices.DeleteFunc([]string{"tme9-mean", "tme9-simple", "tme9-values", "tme9-lstm", "tme10-cls"}, func(name string) bool { return !trained[name] })
	if page && len(onPage) > 0 {
		err := exp(slices.Concat([]string{"export"}, onPage, []string{"--page", filepath.Join(out, "page.html")})...)
		switch {
		case errors.Is(err, offline.ErrNoProgram):
			a.Warn(fmt.Errorf("no page.html: %w", err))
		case err != nil:
			return err
		default:
			index += in("- [The models next to each other](page.html): they answer any text, without a network") + "\n"
		}
	}
	start := filepath.Join(out, "index.html")
	if err := cli.WriteFile(start, parse("index.md", index, chosen[0].lang).writePage); err != nil {
		return err
	}
	a.Printf("wrote %s: open it in a browser\n", start)
	cli.Next(a.IO, [][2]string{
		{cli.CommandLine("serve", "--runs", filepath.Join(out, "runs"), "--data-dir", filepath.Join(out, "data")), "the runs in a browser, live"},
		{"exp lesson 1" + chosen[0].flag(), "the first lesson in the terminal"},
	})
	return nil
}

// handouts writes the pages: a list, one for teachers, and the lessons.
func handouts(dir, lang string) error {
	pages, err := course(lang)
	for _, file := range []string{"README.md", "teachers.md"} {
		l, err1 := read(file, lang)
		pages, err = append(pages, l), errors.Join(err, err1)
	}
	for _, l := range pages {
		if err == nil {
			err = cli.WriteFile(filepath.Join(dir, l.page()), l.writePage)
		}
	}
	return err
}
