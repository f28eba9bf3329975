package infer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/runs"
)

// Split is reviews of a data set as rows of a model's table.
type Split struct {
	Classes []string  // of the data set
	Names   []string  // [B] such as test/pos/0_10
	Labels  []int32   // [B] class
	Texts   []Encoded // [B] rows alone
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
	row, s := m.wordRows(c.Vocab), &Split{Classes: c.Classes, Digest: c.Digest}
	for _, b := range of.First(limit, len(c.Classes)) {
		words, rows, lacks := m.rowsOf(of.Words(b), row)
		s.Names, s.Labels, s.Texts = append(s.Names, of.Names[b]), append(s.Labels, of.Labels[b]), append(s.Texts, Encoded{Rows: rows})
		s.words, s.lacks = append(s.words, words), append(s.lacks, lacks)
	}
	return s
}

// Draw returns a random sample of n reviews by a seed, stratified by class, in the order of the
// split; all reviews if n is 0 or at least their number.
func (s *Split) Draw(n int, seed uint64) *Split {
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

// DataChanged returns an error if the digest of the data differs from that of the run.
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
// reviews are omitted as there. The answers are in the order of the split.
func (m *Model) Answers(ctx context.Context, s *Split, dropLast bool) ([]Answer, error) {
	n := s.Len()
	if dropLast {
		n = m.settings.Evaluated(n)
	}
	out := make([]Answer, n)
	return out, m.inGroups(ctx, s, n, n, func(i int, b *Batch, k int) error {
		out[i] = b.answer(k, s.Texts[i].Rows, s.lacks[i])
		return nil
	}, func([]int) error { return nil })
}

// inGroups asks the model about the first n reviews of a split, and calls each for review i, which is
// text k of a batch, and end after each group. For a model that is BatchDependent a group is a batch
// of its run's evaluation, in their order; else it has size consecutive reviews.
func (m *Model) inGroups(ctx context.Context, s *Split, n, size int, each func(i int, b *Batch, k int) error, end func(group []int) error) error {
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
	for group := range slices.Chunk(order, max(1, size)) {
		texts := make([]Encoded, len(group))
		for k, i := range group {
			texts[k] = s.Texts[i]
		}
		err := m.Each(ctx, texts, func(j int, b *Batch, k int) error { return each(group[j], b, k) })
		if err != nil {
			return called(err, func(e *LongError) { e.Name = s.Names[group[e.Text]] })
		}
		if err := end(group); err != nil {
			return err
		}
	}
	return nil
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
