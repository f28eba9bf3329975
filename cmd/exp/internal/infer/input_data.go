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

// Split is the test reviews of a data set as rows of a model's table.
type Split struct {
	Classes []string  // of the data set
	Names   []string  // [B] such as test/pos/0_10
	Labels  []int32   // [B] class
	Texts   []Encoded // [B] rows alone
	Digest  string    // of the content

	lacks []int // [B] words without a vector
}

// TestSplit returns the test reviews of a data set (imdb, sample, or the name of an added one), in
// the order of their names. limit is the number of reviews of each class, as in data.limit; 0 is
// all. The words come from the cache of the data folder dir.
func (m *Model) TestSplit(ctx context.Context, dir, name string, limit int, o folder.Options) (*Split, error) {
	c, err := m.OpenCorpus(ctx, dir, name, o)
	if err != nil {
		return nil, err
	}
	row, kept := m.wordRows(c.Vocab), c.Test.First(limit, len(c.Classes))
	n := len(kept)
	s := &Split{Classes: c.Classes, Names: make([]string, n), Labels: make([]int32, n), Digest: c.Digest, Texts: make([]Encoded, n), lacks: make([]int, n)}
	for i, b := range kept {
		s.Names[i], s.Labels[i] = c.Test.Names[b], c.Test.Labels[b]
		_, s.Texts[i].Rows, s.lacks[i] = m.rowsOf(c.Test.Words(b), row)
	}
	return s, nil
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
		out.Texts, out.lacks = append(out.Texts, s.Texts[i]), append(out.lacks, s.lacks[i])
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
	for _, group := range m.groups(s.Len(), n, n) {
		texts := make([]Encoded, len(group))
		for k, i := range group {
			texts[k] = s.Texts[i]
		}
		err := m.Each(ctx, texts, func(k int, b *Batch, j int) error {
			i := group[k]
			out[i] = b.answer(j, s.Texts[i].Rows, s.lacks[i])
			return nil
		})
		if err != nil {
			return nil, called(err, func(e *LongError) { e.Name = s.Names[group[e.Text]] })
		}
	}
	return out, nil
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
