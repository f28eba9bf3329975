// Package counts scores reviews by their n-grams with the weights of a Counting model, and splits
// a score into the terms of the n-grams.
package counts

import (
	"fmt"

	"imdbexp/dataset/ngrams"
	"imdbexp/internal/convex"
	"imdbexp/internal/sparse"
	"imdbexp/models"
)

// Scorer is a Counting model with its F features and its weights in K columns. Two classes have
// one column, positive for class 1; more classes have one column each.
type Scorer struct {
	Features *ngrams.Features
	W        *models.Weight // [F, K]
	B        *models.Weight // [1, K]

	counts  models.Counts
	classes int
	idf     []float64 // [F]; nil for binary features
	w       []float64 // [F, K] W at the last Refresh
}

// New returns a scorer whose weights are 0.
func New(of models.Counts, f *ngrams.Features, classes int) *Scorer {
	k := convex.Columns(classes)
	s := &Scorer{
		Features: f, counts: of, classes: classes, w: make([]float64, f.Len()*k),
		W: &models.Weight{Name: "W", Rows: f.Len(), Cols: k, Data: make([]float32, f.Len()*k)},
		B: &models.Weight{Name: "b", Rows: 1, Cols: k, Data: make([]float32, k)},
	}
	if !of.Binary {
		s.idf = f.IDF()
	}
	return s
}

// Load restores a scorer from its encoded features; numbers returns its weights.
func Load(of models.Counts, classes int, features []byte, numbers func(name string, rows, cols int) ([]float32, error)) (*Scorer, error) {
	f := new(ngrams.Features)
	if err := f.UnmarshalBinary(features); err != nil {
		return nil, err
	}
	s := New(of, f, classes)
	if err := models.Fill(s.Weights(), numbers); err != nil {
		return nil, err
	}
	s.Refresh()
	return s, nil
}

// Weights returns W and B. Call Refresh after changing them.
func (s *Scorer) Weights() []*models.Weight { return []*models.Weight{s.W, s.B} }

// Binary reports whether features are 0 or 1; else they are TF-IDF.
func (s *Scorer) Binary() bool { return s.counts.Binary }

// Refresh updates the scorer after the weights have changed.
func (s *Scorer) Refresh() {
	for i, w := range s.W.Data {
		s.w[i] = float64(w)
	}
}

// Matrix returns the features of reviews, whose words are IDs of a vocabulary: x [B, F].
func (s *Scorer) Matrix(pool sparse.Pool, reviews ngrams.Reviews, vocabulary []string) (*sparse.Matrix, error) {
	m, err := s.Features.Encode(pool, reviews, vocabulary, s.counts.Binary)
	if err == nil && !s.counts.Binary {
		err = ngrams.TFIDF(pool, m, s.idf, s.counts.Sublinear)
	}
	return m, err
}

// Scores returns z = x·W + b for each class [B, C]. With two classes each gets half of the
// difference between them.
func (s *Scorer) Scores(pool sparse.Pool, x *sparse.Matrix) ([]float32, error) {
	k := s.W.Cols
	z := make([]float64, x.Rows*k)
	if x.Cols != s.W.Rows {
		return nil, fmt.Errorf("reviews have %d features, the weights %d", x.Cols, s.W.Rows)
	}
	if err := x.Multiply(pool, z, s.w, k); err != nil {
		return nil, err
	}
	out := make([]float32, 0, x.Rows*s.classes)
	for i, v := range z {
		v += float64(s.B.Data[i%k])
		if k == 1 {
			out = append(out, float32(-v/2))
			v /= 2
		}
		out = append(out, float32(v))
	}
	return out, nil
}
