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
	ngrams  int
	reviews []string
}

// exportPage writes a page of the runs.
func exportPage(ctx context.Context, a *cli.App, refs []string, o pageOptions) error {
	switch {
	case o.words < 0:
		return cli.Usage(fmt.Errorf("--words %d: at least 1, or 0 for all", o.words))
	case o.ngrams < 0:
		return cli.Usage(fmt.Errorf("--ngrams %d: at least 1, or 0 for all", o.ngrams))
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
		if title = "exp: attention side by side"; run.Config.Task() == runs.Pairs {
			title = "exp: translations side by side"
		}
		if run.Config.Task() != list[0].Config.Task() {
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
	what := fmt.Sprintf("%s, %s; it opens in a browser, offline", format.Counted(len(p.Runs), "run"), vocabulary(p.Runs))
	return cli.Write(a.IO, o.out, what, func(w io.Writer) error { return p.Write(w, program) })
}

// vocabulary describes the number of words of the page.
func vocabulary(list []offline.Run) string {
	most, of := 0, 0
	for _, r := range list {
		if r.Languages != nil {
			return fmt.Sprintf("%s words to translate", format.Thousands(r.Of))
		}
		if !r.Config.Counts() { // pageRun has printed its n-grams
			most, of = max(most, len(r.Table.Words)-1), max(of, r.Of)
		}
	}
	switch {
	case of == 0:
		return "n-grams and no word vectors"
	case most == of:
		return fmt.Sprintf("all %s words", format.Thousands(of))
	}
	return fmt.Sprintf("%s of %s words, the most frequent ones and those of its reviews (--words 0 takes all)", format.Thousands(most), format.Thousands(of))
}

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
	}
	kept, of, err := t.CutNgrams(o.ngrams, known...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	if kept < of {
		a.Say(fmt.Sprintf("%s: the %s n-grams that change its scores most, of %s (--ngrams 0 takes all)", run.Label(), format.Thousands(kept), format.Thousands(of)), "", "  ")
	}
	return r, nil
}

// Lengths of the reviews that a page offers by default: short enough for all of its views.
const (
	minWords = 25
	maxWords = infer.StepsWords
)

// offered returns the reviews with the given IDs, or else some test reviews: for each class one that
// the first run gets right, and one that it gets wrong.
func offered(ctx context.Context, a *cli.App, run *runs.Run, ids []string) ([]page.Example, error) {
	if run.Config.Task() == runs.Pairs {
		return sentences(a, run, ids)
	}
	asked := len(ids) > 0
	answers, err := run.Predictions()
	if err != nil {
		answers = &runs.Predictions{} // the reviews are offered without the predictions of the run
	}
	if !asked {
		ids = telling(run, answers)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	dir, err := a.Data()
	if err != nil {
		return nil, err
	}
	list, err := infer.Reviews(ctx, dir, run, ids)
	if err != nil {
		if asked {
			return nil, err
		}
		a.Warn(fmt.Errorf("the page offers no reviews: %w", err))
		return nil, nil
	}
	var out []page.Example
	for _, r := range list {
		label := ""
		if r.Label >= 0 && r.Label < len(run.Config.Classes) {
			label = run.Config.Classes[r.Label]
		}
		review := page.Example{ID: r.ID, Label: label, Text: r.Text, Sample: run.Config.Data.Name == "sample"}
		if at := slices.IndexFunc(answers.Rows, func(p runs.Prediction) bool { return p.Review == r.ID }); at >= 0 && answers.Rows[at].Predicted != r.Label {
			review.Predicted = run.Config.Classes[answers.Rows[at].Predicted]
		}
		out = append(out, review)
	}
	return out, nil
}

// sentences returns the test pairs with the given IDs, or else the first ones.
func sentences(a *cli.App, run *runs.Run, ids []string) ([]page.Example, error) {
	list, err := run.Translations()
	if err != nil && len(ids) == 0 || len(list) == 0 {
		a.Warn(fmt.Errorf("the page offers no sentences: %s has translated no test pairs yet", run.Label()))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []page.Example
	put := func(t runs.Translation) {
		out = append(out, page.Example{ID: t.Pair, Text: t.Source, Reference: t.Reference, Sentence: true})
	}
	for _, id := range ids {
		at := slices.IndexFunc(list, func(t runs.Translation) bool { return t.Pair == id })
		if at < 0 {
			return nil, cli.Usage(fmt.Errorf("--review %s: %s has no such test pair; they are %s to %s", id, run.Label(), list[0].Pair, list[len(list)-1].Pair))
		}
		put(list[at])
	}
	if len(ids) == 0 {
		for _, t := range list[:min(3, len(list))] {
			put(t)
		}
	}
	return out, nil
}

// telling chooses reviews by the run's predictions, if there are any.
func telling(run *runs.Run, answers *runs.Predictions) (ids []string) {
	met := map[[2]int]bool{}
	for _, p := range answers.Rows {
		kind := [2]int{p.Label, p.Predicted}
		if p.Label < 0 || met[kind] || len(ids) == 4 || p.Words > maxWords || p.Words < min(minWords, int(run.Config.Data.Test.Words/max(1, run.Config.Data.Test.Reviews))) {
			continue
		}
		met[kind] = true
		ids = append(ids, p.Review)
	}
	return ids
}
