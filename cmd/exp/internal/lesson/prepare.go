package lesson

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/docs/lessons"
)

func newPrepare(a *cli.App, root func(*cli.App) *cobra.Command) *cobra.Command {
	var out string
	only, page := "", true
	cmd := &cobra.Command{
		Use:   "prepare --out DIR",
		Short: "For teachers: train what the lessons use, and write report and handouts",
		Long: `Carries out every exp run of the lessons, with data and runs of their own in DIR,
so that a data folder with IMDB does not matter, and writes

  DIR/runs          the finished runs, which exp serve --runs shows in a browser
  DIR/report        report.html and the figures
  DIR/handouts      the lessons as pages, answers folded, and the page for teachers
  DIR/page.html     the models side by side on any text, in a browser, offline; it
                    needs Go and a checkout, or a release, and is left out without

A minute on two cores that are free. What is there already is not trained again.`,
		Example: "  exp lesson prepare --out class\n  exp lesson prepare --out class --only 1,2",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return cli.Usage(errors.New("--out DIR says where"))
			}
			chosen, err := course()
			if err != nil {
				return err
			}
			if only != "" {
				chosen = nil
				for word := range strings.SplitSeq(only, ",") {
					l, err := find(strings.TrimSpace(word))
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
	cmd.Flags().StringVar(&only, "only", "", "train for these lessons alone, by number, such as 1,2,5 (default: all)")
	cmd.Flags().BoolVar(&page, "page", true, "write page.html; --page=false leaves it out")
	cmd.MarkFlagDirname("out")
	return cmd
}

func prepare(cmd *cobra.Command, a *cli.App, root func(*cli.App) *cobra.Command, out string, chosen []*lesson, page bool) error {
	folders := []string{"--runs", filepath.Join(out, "runs"), "--data-dir", filepath.Join(out, "data")}
	for _, dir := range []string{folders[1], folders[3], filepath.Join(out, "handouts")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("%w; --out wants a folder", err)
		}
	}
	done := map[string]bool{}
	for _, l := range chosen {
		for _, command := range l.commands() {
			w := words(command)
			if w[0] != "exp" || w[1] != "run" || done[command] {
				continue
			}
			done[command] = true
			if err := call(cmd.Context(), a, root, slices.Concat(w[1:], folders)...); err != nil {
				return err
			}
		}
	}
	if err := call(cmd.Context(), a, root, slices.Concat([]string{"report", "--out", filepath.Join(out, "report")}, folders)...); err != nil {
		return err
	}
	n, err := handouts(filepath.Join(out, "handouts"))
	if err != nil {
		return err
	}
	a.Printf("\n%s: %d handouts; index.html lists them\n", filepath.Join(out, "handouts"), n)
	if trained := onPage(done); page && len(trained) > 0 {
		err := call(cmd.Context(), a, root, slices.Concat([]string{"export"}, trained, []string{"--page", filepath.Join(out, "page.html")}, folders)...)
		switch {
		case errors.Is(err, offline.ErrNoProgram):
			a.Warn(fmt.Errorf("no page.html: %w", err))
		case err != nil:
			return err
		}
	}
	cli.Next(a.IO, [][2]string{
		{cli.CommandLine("serve", "--runs", filepath.Join(out, "runs"), "--data-dir", filepath.Join(out, "data")), "the runs in a browser, live"},
		{cli.CommandLine("lesson", "1"), "the first lesson in the terminal"},
	})
	return nil
}

// onPage returns what the page shows side by side, of what the commands have trained.
func onPage(commands map[string]bool) (names []string) {
	for _, name := range []string{"tme9-mean", "tme9-simple", "tme9-values", "tme9-lstm", "tme10-cls"} {
		for command := range commands {
			if w := words(command); slices.Contains(w, name) && !strings.Contains(command, "=") {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// handouts writes the pages: a list, the one for teachers, and the lessons, and returns how
// many lessons there are.
func handouts(dir string) (int, error) {
	all, err := course()
	if err != nil {
		return 0, err
	}
	put := func(name string, l *lesson, ways ...way) error {
		return cli.WriteFile(filepath.Join(dir, name), func(w io.Writer) error { return l.handout(w, ways...) })
	}
	list := way{"All lessons", "index.html"}
	for _, p := range []struct {
		file, page string
		ways       []way
	}{{"README.md", "index.html", nil}, {"teachers.md", "teachers.html", []way{list}}} {
		text, err := fs.ReadFile(lessons.Files, p.file)
		if err != nil {
			return 0, err
		}
		l, err := parse(p.file, string(text))
		if err != nil {
			return 0, err
		}
		if err := put(p.page, l, p.ways...); err != nil {
			return 0, err
		}
	}
	for i, l := range all {
		ways := []way{list}
		if i > 0 {
			ways = append(ways, way{fmt.Sprintf("← Lesson %d", all[i-1].number), all[i-1].page()})
		}
		if i+1 < len(all) {
			ways = append(ways, way{fmt.Sprintf("Lesson %d →", all[i+1].number), all[i+1].page()})
		}
		if err := put(l.page(), l, ways...); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
