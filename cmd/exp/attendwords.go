package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"imdbexp/dataset"
	"imdbexp/dataset/open"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// readSplit asks the model about a split of its run's data. use gets the corpus
// first and returns what hears of each review.
func (a *app) readSplit(ctx context.Context, run *runs.Run, m *infer.Model, split string, look infer.Look, use func(*dataset.Corpus) func(*infer.Reading) error) error {
	dir, err := a.data()
	if err != nil {
		return err
	}
	c := &run.Config
	reading, stop := a.reading()
	corpus, err := m.OpenCorpus(ctx, dir, c.Data.Name, open.Options{Warn: a.warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	if want := c.Digests["data"]; want != "" && corpus.Digest != want {
		a.warn(fmt.Errorf("data=%s have changed since the run: these are not its reviews", c.Data.Name))
	}
	part := dataset.Test
	if split == "train" {
		part = dataset.Train
	}
	limit, _ := strconv.Atoi(c.Setting("data.limit"))
	err = m.ReadSplit(ctx, corpus, part, limit, look, use(corpus))
	if _, wrong := errors.AsType[*infer.LookError](err); wrong {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	return err
}

// usualTallies is how many words --words shows on a terminal from the top, and a
// third of it from the bottom.
const usualTallies = 30

// usualTop is how many words --words shows when nobody says: a pipe gets all.
func (a *app) usualTop() int {
	if a.io.Terminal() {
		return usualTallies
	}
	return math.MaxInt
}

// attendWords prints how each word is attended to over the test set.
func (a *app) attendWords(ctx context.Context, run *runs.Run, m *infer.Model, o attendOptions) error {
	var tally *infer.Tally
	var corpus *dataset.Corpus
	err := a.readSplit(ctx, run, m, "test", o.look, func(c *dataset.Corpus) func(*infer.Reading) error {
		tally, corpus = m.NewTally(c), c
		return func(r *infer.Reading) error {
			tally.Add(r)
			return nil
		}
	})
	if err != nil {
		return err
	}
	list := tally.List(o.minCount)
	top := min(o.top, len(list))
	if !a.io.Terminal() {
		return a.tallies(corpus.Classes, list[:top])
	}
	a.printf("%s\n", a.wrap(fmt.Sprintf("%s: %s test reviews, %s words; %s different ones occur %d times or more", a.io.Paint(term.Bold, run.Label()),
		thousands(tally.Reviews), thousands(tally.Words), thousands(len(list)), o.minCount), "", "  "))
	a.heading("most attention")
	if err := a.tallies(corpus.Classes, list[:top]); err != nil {
		return err
	}
	if low := min((o.top+2)/3, len(list)-top); low > 0 {
		a.heading("least attention")
		if err := a.tallies(corpus.Classes, list[len(list)-low:]); err != nil {
			return err
		}
	}
	a.printf("\n%s\n", a.wrap("× equal: the mean of weight × words, 1 for a word like any other. A pipe gets all words.", "", ""))
	return nil
}

// tallies prints words; a pipe gets the occurrences of each class, too.
func (a *app) tallies(classes []string, list []infer.WordTally) error {
	columns := []term.Column{{Head: "word"}, {Head: "× equal", Right: true}, {Head: "count", Right: true}, {Head: "of all attention", Right: true, Optional: 1}, {Head: "in reviews"}}
	if !a.io.Terminal() {
		columns = []term.Column{{Head: "word"}, {Head: "ratio"}, {Head: "count"}, {Head: "share"}, {Head: "vector"}}
		for _, c := range classes {
			columns = append(columns, term.Column{Head: "n:" + c})
		}
	}
	t := term.NewTable(columns...)
	for _, w := range list {
		if !a.io.Terminal() {
			row := []string{w.Word, strconv.FormatFloat(w.Ratio, 'g', 6, 64), strconv.Itoa(w.Count), strconv.FormatFloat(w.Share, 'g', 6, 64), strconv.FormatBool(w.Known)}
			for _, n := range w.Classes {
				row = append(row, strconv.Itoa(n))
			}
			t.Add(row...)
			continue
		}
		word, in := printable(w.Word), ""
		if !w.Known {
			word = a.io.Underline(word)
		}
		if c, share := w.Class(); c >= 0 {
			in = fmt.Sprintf("%s %s", classes[c], percent(share))
		}
		t.Add(word, fmt.Sprintf("%.2f", w.Ratio), thousands(w.Count), shareOf(float32(w.Share)), in)
	}
	return t.Print(a.io)
}
