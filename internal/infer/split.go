package infer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// errFound ends a walk early, without an error.
var errFound = errors.New("found")

// Reviews returns the original reviews of a run's data with the given IDs, such as test/pos/0_10;
// without IDs, the first test review. dir is the data folder. An unknown ID is an error.
func Reviews(ctx context.Context, dir string, run *runs.Run, ids []string) ([]dataset.Review, error) {
	src, err := folder.Source(dir, run.Config.Data.Name, folder.Options{})
	if err != nil {
		return nil, err
	}
	out, left := make([]dataset.Review, len(ids)), len(ids)
	var all []string // for the hint
	err = src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		if len(ids) == 0 && p == dataset.Test {
			out = append(out, r)
			return errFound
		}
		all = append(all, r.ID)
		for i, id := range ids {
			if id == r.ID {
				out[i], left = r, left-1
			}
		}
		if len(ids) > 0 && left == 0 {
			return errFound
		}
		return nil
	})
	switch {
	case errors.Is(err, errFound):
		return out, nil
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, fmt.Errorf("%s has no test reviews", src)
	}
	id := ids[slices.IndexFunc(out, func(r dataset.Review) bool { return r.ID == "" })]
	hint := settings.Nearest(id, all)
	if i := slices.IndexFunc(all, func(other string) bool { return strings.HasSuffix(other, "/"+id) }); i >= 0 {
		hint = " (did you mean " + all[i] + "?)"
	}
	if hint == "" && len(all) > 0 {
		hint = "; the first is " + all[0]
	}
	return nil, fmt.Errorf("review %s is not in %s%s", id, src, hint)
}

// Split has reviews of a data set as rows of a model's table.
type Split struct {
	Classes []string  // of the data set
	Names   []string  // [B] such as test/pos/0_10
	Labels  []int32   // [B] class
	Texts   []Encoded // [B] Rows and Name alone
	Digest  string    // of the content

	words [][]int32 // [B] of the corpus's vocabulary, as many as rows; empty for a review without a word that the model reads
	lacks []int     // [B] words without a vector
}

// TestSplit returns the test reviews of a data set (imdb, sample, or the name of an added one), in
// the order of their names. limit is the number of reviews of each class, as in data.limit; 0 is
// all. The words come from the cache of the data folder dir.
func (m *Model) TestSplit(ctx context.Context, dir, name string, limit int, o folder.Options) (*Split, error) {
	c, err := m.OpenCorpus(ctx, dir, name, o)
	if err != nil {
		return nil, err
	}
	return m.split(c, dataset.Test, limit), nil
}

// split returns the first limit reviews of each class of train or test; 0 is all.
func (m *Model) split(c *dataset.Corpus, part dataset.Part, limit int) *Split {
	of := &c.Test
	if part == dataset.Train {
		of = &c.Train
	}
	s := &Split{Classes: c.Classes, Digest: c.Digest}
	ids := make([]int32, len(c.Vocab.Words)) // rows of the words of the vocabulary
	for id, w := range c.Vocab.Words {
		ids[id] = m.row(w)
	}
	row := m.table.Over(c.Vocab, ids)
	for _, b := range of.First(limit, len(c.Classes)) {
		words, rows, lacks := m.rowsOf(of.Words(b), row)
		s.Names, s.Labels, s.Texts = append(s.Names, of.Names[b]), append(s.Labels, of.Labels[b]), append(s.Texts, Encoded{Rows: rows, Name: of.Names[b]})
		s.words, s.lacks = append(s.words, words), append(s.lacks, lacks)
	}
	return s
}

// Sample returns a random sample of about n reviews by a seed, stratified by class, in the order of the
// split; all reviews if n is 0 or at least their number.
func (s *Split) Sample(n int, seed uint64) *Split {
	if n <= 0 || n >= s.Len() {
		return s
	}
	var places []int
	for c := range s.Classes {
		var of []int
		for i, l := range s.Labels {
			if int(l) == c {
				of = append(of, i)
			}
		}
		for k, at := range dataset.Shuffle(len(of), seed, uint64(c)) {
			if float64(k) < math.Round(float64(n)*float64(len(of))/float64(s.Len())) {
				places = append(places, of[at])
			}
		}
	}
	slices.Sort(places)
	out := &Split{Classes: s.Classes, Digest: s.Digest}
	for _, i := range places {
		out.Names, out.Labels = append(out.Names, s.Names[i]), append(out.Labels, s.Labels[i])
		out.Texts, out.lacks, out.words = append(out.Texts, s.Texts[i]), append(out.lacks, s.lacks[i]), append(out.words, s.words[i])
	}
	return out
}

// DataChanged returns an error if the data have another digest than at the time of the run.
func DataChanged(c *runs.Config, digest string) error {
	if digest == c.Digests["data"] {
		return nil
	}
	return fmt.Errorf("data=%s has changed since the run, so these are not its reviews", c.Data.Name)
}

// Len returns B, the number of reviews.
func (s *Split) Len() int { return len(s.Texts) }

// Answers asks the model about every review, in the batches of its run at the end of training, so
// that a BatchDependent model gives the same answers. With dropLast and slip.drop_last the last
// reviews are omitted as in the run. The answers are in the order of the split.
func (m *Model) Answers(ctx context.Context, s *Split, dropLast bool) ([]Answer, error) {
	n := s.Len()
	if dropLast {
		n = m.settings.Evaluated(n)
	}
	out := make([]Answer, n)
	for group := range m.groups(s, n, n) {
		err := m.ask(ctx, s, group, func(j int, b *Batch, k int) error {
			i := group[j]
			out[i] = b.answer(k, s.Texts[i].Rows, s.lacks[i])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// groups divides the first n reviews of a split. For a model that is BatchDependent a group is a batch
// of its run's evaluation, in their order; else it has size consecutive reviews.
func (m *Model) groups(s *Split, n, size int) iter.Seq[[]int] {
	var order []int
	for i := range n {
		order = append(order, i)
	}
	if m.BatchDependent() {
		order, size = order[:0], m.settings.Batch
		for _, i := range dataset.Shuffle(s.Len(), m.settings.Seed, 0) {
			if int(i) < n {
				order = append(order, int(i))
			}
		}
	}
	return slices.Chunk(order, max(1, size))
}

// ask is Each for a group of reviews of a split.
func (m *Model) ask(ctx context.Context, s *Split, group []int, f func(j int, b *Batch, k int) error) error {
	texts := make([]Encoded, len(group))
	for k, i := range group {
		texts[k] = s.Texts[i]
	}
	return m.Each(ctx, texts, f)
}

// Marked reports for each word of each review of a split whether annotators marked it as part of
// the review's rationale: nil for a review without one, and nil for data without any. name is the
// name of the data set, dir the data folder.
func (m *Model) Marked(ctx context.Context, dir, name string, s *Split, o folder.Options) ([][]bool, error) {
	src, err := folder.Source(dir, name, o)
	if err != nil {
		return nil, err
	}
	if r, has := src.(interface{ HasRationales() bool }); !has || !r.HasRationales() {
		return nil, nil
	}
	place := make(map[string]int, s.Len())
	for i, n := range s.Names {
		place[n] = i
	}
	out := make([][]bool, s.Len())
	err = src.Reviews(ctx, func(_ dataset.Part, r dataset.Review) error {
		i, asked := place[r.ID]
		if !asked || r.Rationale == nil {
			return nil
		}
		e := m.Encode(r.Text)
		if len(e.Rows) != len(s.Texts[i].Rows) {
			return fmt.Errorf("%s has %d words, but %d in the run: the data have changed", r.ID, len(e.Rows), len(s.Texts[i].Rows))
		}
		out[i] = make([]bool, len(e.Rows))
		for k, w := range e.Words {
			for _, span := range r.Rationale {
				out[i][k] = out[i][k] || w.Start < span.End && w.End > span.Start
			}
		}
		return nil
	})
	return out, err
}

// Reading is the result of a model for one review of a corpus.
type Reading struct {
	ID       string
	Label    int       // class, or dataset.Unlabelled
	Class    int       // predicted
	P        []float32 // [C]
	Words    []int32   // [n] of the corpus's vocabulary; empty for a review without a word that the model reads
	Rows     []int32   // [n] of the model's table, at least one
	Attended *Attended
}

// readings is the maximum number of reviews that ReadSplit holds in memory.
const readings = 1024

// ReadSplit asks the model about the reviews of a split, in the order of their names, and calls f with
// some of them at a time. limit is the number of reviews of each class, as in data.limit; 0 is all. A
// model that is BatchDependent gets the batches of its run's evaluation, in their order. A model
// without attention is a SelectionError.
func (m *Model) ReadSplit(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, o Selection, f func([]Reading) error) error {
	s := m.split(c, part, limit)
	for group := range m.groups(s, m.evaluated(s), readings) {
		list := make([]Reading, len(group))
		err := m.ask(ctx, s, group, func(j int, b *Batch, k int) (err error) {
			i := group[j]
			r := Reading{ID: s.Names[i], Label: int(s.Labels[i]), Words: s.words[i], Rows: s.Texts[i].Rows, Class: b.Class(k), P: slices.Clone(b.P(k))}
			if r.Attended, err = b.Select(k, s.Texts[i], o); err == nil && r.Attended == nil {
				err = SelectionErrorf("the model has no attention")
			}
			list[j] = r
			return err
		})
		if err == nil {
			err = f(list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// evaluated returns the number of reviews of a split in an evaluation: a model that is BatchDependent
// gets whole batches.
func (m *Model) evaluated(s *Split) int {
	if m.BatchDependent() {
		return m.settings.Evaluated(s.Len())
	}
	return s.Len()
}

// OpenCorpus opens a data set (imdb, sample, or the name of an added one) with the tokeniser of the
// model's run, and that run's data divided as it was. dir is the data folder.
func (m *Model) OpenCorpus(ctx context.Context, dir, name string, o folder.Options) (*dataset.Corpus, error) {
	o.Tokenizer = m.tokenizer.Name
	if name == m.settings.Data.Data {
		o.TestSeed = m.settings.TestSeed
	}
	return folder.Test(ctx, dir, name, o)
}

// rowsOf returns the words of a review that the model reads, and their rows, at least one; an n-gram
// counts as its last word. lacks is the number of words without a vector, also of those that
// oov=masked omits.
func (m *Model) rowsOf(ids []int32, r *embedding.Rows) (words, rows []int32, lacks int) {
	if n := m.settings.MaxLen; n > 0 && len(ids) > n {
		ids = ids[:n]
	}
	words, rows = make([]int32, 0, len(ids)), make([]int32, 0, max(1, len(ids)))
	for _, id := range ids {
		if r.Word[id] == embedding.OOVRow {
			lacks++
		}
	}
	r.Each(ids, func(row int32, at int) { words, rows = append(words, ids[at]), append(rows, row) })
	if len(rows) == 0 {
		rows = append(rows, embedding.OOVRow)
	}
	return words, rows, lacks
}

// TrainingTexts are the training texts of a run; nil has none.
type TrainingTexts struct {
	tokenizer token.Tokenizer
	known     map[string]bool // by their words, each with a line end
}

// TrainingTexts returns the training texts of the run with the configuration c; nil if they are not known: its data are
// not installed or have changed since, or training omitted a part (data.train, data.exclude).
func (m *Model) TrainingTexts(ctx context.Context, dir string, c *runs.Config) *TrainingTexts {
	if m.settings.Train != 0 || m.settings.Exclude != "none" {
		return nil
	}
	corpus, err := m.OpenCorpus(ctx, dir, c.Data.Name, folder.Options{})
	if err != nil || DataChanged(c, corpus.Digest) != nil {
		return nil
	}
	t := &TrainingTexts{m.tokenizer, map[string]bool{}}
	for _, b := range corpus.Train.First(m.settings.Limit, len(corpus.Classes)) {
		var text strings.Builder
		for _, id := range corpus.Train.Words(b) {
			text.WriteString(corpus.Vocab.Words[id])
			text.WriteByte('\n')
		}
		t.known[text.String()] = true
	}
	return t
}

// Has reports whether one of the texts has the same words.
func (t *TrainingTexts) Has(text string) bool {
	if t == nil {
		return false
	}
	var words []byte
	t.tokenizer.Split(text, func(word []byte, _, _ int) { words = append(append(words, word...), '\n') })
	return t.known[string(words)]
}
