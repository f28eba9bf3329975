package attend

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

var splitNames = []string{"test", "train"}

// writeSplit writes the weights, or another score, of all reviews of a split.
func writeSplit(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	score := scores.Named(o.by)
	asker := scores.New(m, scoreSeed)
	defer asker.Close()
	corpus, err := corpusOf(ctx, a, run, m)
	if err != nil {
		return err
	}
	part := map[string]dataset.Part{"test": dataset.Test, "train": dataset.Train}[o.split]
	read := 0
	err = cli.WriteTo(a.IO, o.out, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		err := m.ReadSplit(ctx, corpus, part, run.Config.General().Limit, o.selected, func(list []infer.Reading) (err error) {
			if o.by != scores.Attention {
				err = replaceAttention(ctx, asker, score, list, read)
			}
			read += len(list)
			for i := 0; i < len(list) && err == nil; i++ {
				err = lines.Encode(readLine(corpus, &list[i]))
			}
			return err
		})
		return cmp.Or(lacking(run, err), out.Flush())
	})
	if err == nil && o.out != "" && o.out != "-" {
		fmt.Fprintf(a.Err, "wrote %s: %s of %s\n", o.out, score.Title, format.Counted(read, "review"))
	}
	return err
}

// Line is a line of --split, or a text of --format json.
type Line struct {
	ID        string             `json:"id"`
	Label     *string            `json:"label"` // null if unknown
	Predicted string             `json:"predicted"`
	P         map[string]float32 `json:"p"`
	Words     []string           `json:"words"`
	Weights   []float32          `json:"weights"` // one for each word; with cls and padding they add up to one; null without attention
	CLS       float32            `json:"cls,omitempty"`
	Padding   float32            `json:"padding,omitempty"`
	Entropy   *float32           `json:"entropy"` // in nats
	Flip      []string           `json:"flip,omitempty"`
}

// newLine returns a line without its words and weights.
func newLine(classes []string, id string, label, predicted int, p []float32, a *infer.Attended) Line {
	l := Line{ID: id, Predicted: classes[predicted], P: map[string]float32{}}
	if label >= 0 && label < len(classes) {
		l.Label = &classes[label]
	}
	for i, x := range p {
		l.P[classes[i]] = x
	}
	if a != nil {
		entropy := float32(a.Entropy)
		l.CLS, l.Padding, l.Entropy = a.CLS, a.Padding, &entropy
	}
	return l
}

// printJSON writes the text for programs.
func (s *shown) printJSON(io *term.IO) error {
	v := s.view
	l := newLine(s.m.Classes, s.review.ID, s.review.Label, v.Class, v.P, v.Attended)
	l.Words, l.Weights = infer.Texts(v.Words), v.Weights
	if s.found != "" {
		l.Flip = []string{s.found}
	}
	if v.Explained != nil {
		l.Weights = infer.Float32s(v.Explained.Words)
	}
	return cli.WriteJSON(io.Verbatim(), []Line{l})
}

// readLine returns the line of a review of a split.
func readLine(c *dataset.Corpus, r *infer.Reading) Line {
	l := newLine(c.Classes, r.ID, r.Label, r.Class, r.P, r.Attended)
	l.Words, l.Weights = make([]string, len(r.Words)), r.Attended.Weights[:len(r.Words)]
	if len(r.Words) == 0 && len(r.Attended.Weights) == 1 { // the empty word that the model reads instead
		l.Words, l.Weights = []string{""}, r.Attended.Weights
	}
	for i, id := range r.Words {
		l.Words[i] = c.Vocab.Words[id]
	}
	return l
}

// corpusOf opens the data of a run, and warns if they have changed.
func corpusOf(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model) (*dataset.Corpus, error) {
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	o, stop := progress.Reading(a.IO, a.Warn)
	defer stop()
	corpus, err := m.OpenCorpus(ctx, dir, run.Config.Data.Name, o)
	if err == nil {
		a.Warn(infer.DataChanged(&run.Config, corpus.Digest))
	}
	return corpus, err
}

// lacking names the run in a SelectionError.
func lacking(run *runs.Run, err error) error {
	if _, wrong := errors.AsType[*infer.SelectionError](err); wrong {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	return err
}

// minCount is the min count of a word in --words, topTallies the number of words that a terminal shows
// from the top; it shows a third as many from the bottom. A pipe gets all words.
const minCount, topTallies = 20, 30

// wordsOf prints the attention of each word over the test set.
func wordsOf(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	corpus, err := corpusOf(ctx, a, run, m)
	if err != nil {
		return err
	}
	tally := m.NewTally(corpus)
	err = m.ReadSplit(ctx, corpus, dataset.Test, run.Config.General().Limit, o.selected, func(list []infer.Reading) error {
		for i := range list {
			tally.Add(&list[i])
		}
		return nil
	})
	if err != nil {
		return lacking(run, err)
	}
	list := tally.List(minCount)
	if !a.Terminal() || o.format != "text" {
		return cli.PrintList(a.IO, o.format, tallies(a.IO, corpus.Classes, list), list)
	}
	a.Say(fmt.Sprintf("%s: %s test reviews, %s words; %s different ones occur %d times or more", a.Headed(&run.Config),
		format.Thousands(tally.Reviews), format.Thousands(tally.Words), format.Thousands(len(list)), minCount))

	top := min(topTallies, len(list))
	a.Heading("most attention")
	tallies(a.IO, corpus.Classes, list[:top]).Print(a.IO)
	if low := min(topTallies/3, len(list)-top); low > 0 {
		a.Heading("least attention")
		tallies(a.IO, corpus.Classes, list[len(list)-low:]).Print(a.IO)
	}
	a.Printf("\n%s\n", a.Wrap("× equal: the mean of weight × words, 1 for an equal share. A pipe gets all words.", "", ""))
	return nil
}

func tallies(io *term.IO, classes []string, list []infer.WordTally) *term.Table {
	t := term.NewTable(term.Left("word"), term.Right("× equal"), term.Right("count"), term.Right("of all attention").Drop(1), term.Left("in reviews"))
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
