package lesson

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/web/offline"
)

func newPrepare(a *cli.App, root func(*cli.App) *cobra.Command, lang *string) *cobra.Command {
	var out string
	only, page := "", true
	cmd := &cobra.Command{
		Use:     "prepare --out DIR",
		Short:   "For teachers: train the runs of the lessons, and write a report and handouts",
		Example: "  exp lesson prepare --out class\n  exp lesson prepare --out class --only 1,2",
		Long: `Runs every exp run of the lessons, with data and runs of its own in DIR, and writes
DIR/index.html with links to a report, to the lessons as pages with folded solutions, and
to a page of the models for a browser without a network (which needs a release, or Go and
a checkout). This takes a minute on two free cores. Runs that exist are not trained again.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return cli.Usage(errors.New("--out DIR is missing: the folder to write into"))
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
						return cli.Usage(fmt.Errorf("--only: %w", err))
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
