package attend

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// readSplit returns the data of a run, and the model's readings of a split of them.
func readSplit(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, split string, look infer.Look) (*dataset.Corpus, iter.Seq2[[]infer.Reading, error], error) {
	corpus, err := corpusOf(ctx, a, run, m)
	if err != nil {
		return nil, nil, err
	}
	part := dataset.Test
	if split == "train" {
		part = dataset.Train
	}
	return corpus, m.ReadSplit(ctx, corpus, part, run.Config.General().Limit, look), nil
}

// corpusOf opens the data of a run, and warns if they have changed.
func corpusOf(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model) (*dataset.Corpus, error) {
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	reading, _, stop := progress.Watching(a.IO)
	defer stop()
	corpus, err := m.OpenCorpus(ctx, dir, run.Config.Data.Name, folder.Options{Warn: a.Warn, Progress: reading})
	if err == nil {
		a.Warn(infer.DataChanged(&run.Config, corpus.Digest))
	}
	return corpus, err
}

// lacking names the run in a LookError.
func lacking(run *runs.Run, err error) error {
	if _, wrong := errors.AsType[*infer.LookError](err); wrong {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	return err
}

// usualTallies is how many words --words shows on a terminal from the top; it shows a third as many
// from the bottom. A pipe gets all words.
const usualTallies = 30

// wordsOf prints the attention of each word over the test set.
func wordsOf(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	corpus, readings, err := readSplit(ctx, a, run, m, "test", o.look)
	if err != nil {
		return err
	}
	tally := m.NewTally(corpus)
	for list, err := range readings {
		if err != nil {
			return lacking(run, err)
		}
		for i := range list {
			tally.Add(&list[i])
		}
	}
	list := tally.List(o.minCount)
	top := min(o.top, len(list))
	if !a.IO.Terminal() || o.format != "text" {
		return cli.PrintList(a.IO, o.format, tallies(a.IO, corpus.Classes, list[:top]), list[:top])
	}
	a.Say(fmt.Sprintf("%s: %s test reviews, %s words; %s different ones occur %d times or more", a.Headed(&run.Config),
		format.Thousands(tally.Reviews), format.Thousands(tally.Words), format.Thousands(len(list)), o.minCount), "", "  ")

	a.Heading("most attention")
	tallies(a.IO, corpus.Classes, list[:top]).Print(a.IO)
	if low := min((o.top+2)/3, len(list)-top); low > 0 {
		a.Heading("least attention")
		tallies(a.IO, corpus.Classes, list[len(list)-low:]).Print(a.IO)
	}
	a.Printf("\n%s\n", a.Wrap("× equal: the mean of weight × words, 1 for an equal share. A pipe gets all words.", "", ""))
	return nil
}

// tallies returns a table of words.
func tallies(io *term.IO, classes []string, list []infer.WordTally) *term.Table {
	t := term.NewTable(term.Column{Head: "word"}, right("× equal", 0), right("count", 0), right("of all attention", 1), term.Column{Head: "in reviews"})
	for _, w := range list {
		word, in := term.Visible(w.Word), ""
		if !w.Known {
			word = io.Underline(word)
		}
		if c, share := w.Class(); c >= 0 {
			in = classes[c] + " " + format.Percent(share)
		}
		t.Add(word, format.Fixed(w.Ratio, 2), format.Thousands(w.Count), format.Share(float32(w.Share)), in)
	}
	return t
}
