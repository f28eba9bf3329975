package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// pageOptions are the options of --page.
type pageOptions struct {
	out     string
	words   int
	reviews []string
}

// exportPage writes a page of the runs.
func exportPage(ctx context.Context, a *cli.App, refs []string, o pageOptions) error {
	switch {
	case o.words < 0:
		return cli.Usage(fmt.Errorf("--words %d: at least 1, or 0 for all", o.words))
	case o.out == "-" && a.IO.Terminal():
		return cli.Usage(errors.New("--page -: a page is too long for a terminal; use a pipe or a file"))
	}
	if o.out != "-" {
		if err := cli.Writable(o.out); err != nil {
			return err
		}
	}
	var list []*runs.Run
	for _, ref := range refs {
		run, err := a.RunOf(ref)
		if err != nil {
			return err
		}
		if run.Config.Task() == runs.Texts {
			_, err := infer.ReadRun(run) // says that it has no answers
			return err
		}
		if slices.ContainsFunc(list, func(r *runs.Run) bool { return r.Config.ID == run.Config.ID }) {
			return cli.Usage(fmt.Errorf("%s is given twice", run.Label()))
		}
		list = append(list, run)
	}
	title := "exp: " + list[0].Config.Name
	for _, run := range list[1:] {
		if title = "exp: models side by side"; run.Config.Task() != list[0].Config.Task() {
			return cli.Usage(fmt.Errorf("%s and %s: one translates sentences, the other classifies reviews; write a separate page for each", list[0].Label(), run.Label()))
		}
	}
	p := &offline.Page{Title: title, Version: runs.NewEnvironment("", 0, nil).Build()}
	reviews, err := offered(ctx, a, list[0], o.reviews)
	if err != nil {
		return err
	}
	var known []string
	for _, r := range reviews {
		known = append(known, r.Text)
	}
	p.Examples = reviews
	for _, run := range list {
		r, err := pageRun(a, run, o, known)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, *r)
	}
	program, err := offline.Find(ctx)
	if err != nil {
		return err
	}
	what := format.Counted(len(p.Runs), "run") + "; it opens in a browser, offline"
	return cli.Write(a.IO, o.out, what, func(w io.Writer) error { return p.Write(w, program) })
}

// maxNgrams limits the n-grams of a page to those that change scores most.
const maxNgrams = 300_000

// pageRun reads a run for the page.
func pageRun(a *cli.App, run *runs.Run, o pageOptions, known []string) (*offline.Run, error) {
	t, err := readTrained(a, run, infer.Read)
	if err != nil {
		return nil, err
	}
	r := &offline.Run{Trained: t, Folder: run}
	if t.Languages != nil {
		r.Of = len(t.Languages.Source)
		return r, nil
	}
	r.Of = len(t.Table.Words) - 1
	if !run.Config.Counts() {
		if err := t.CutWords(o.words, known...); err != nil {
			return nil, err
		}
		if n := len(t.Table.Words) - 1; n < r.Of {
			a.Say(fmt.Sprintf("%s: %s of %s words, the most frequent ones and those of the page's reviews (--words 0 takes all)", run.Label(), format.Thousands(n), format.Thousands(r.Of)), "", "  ")
		}
	}
	kept, of, err := t.CutNgrams(map[bool]int{false: maxNgrams}[o.words == 0], known...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	if kept < of {
		a.Say(fmt.Sprintf("%s: the %s n-grams that change its scores most, of %s (--words 0 takes all)", run.Label(), format.Thousands(kept), format.Thousands(of)), "", "  ")
	}
	return r, nil
}

// offered returns the texts that the page offers, see page.Offered. A page can do without them.
func offered(ctx context.Context, a *cli.App, run *runs.Run, ids []string) ([]page.Example, error) {
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	list, err := page.Offered(ctx, dir, run, ids)
	switch {
	case err != nil && len(ids) > 0:
		return nil, err
	case err != nil:
		a.Warn(fmt.Errorf("the page offers no texts of the run's data: %w", err))
	}
	return list, nil
}
