// Package counts scores reviews by their n-grams, with the weights of a Counting model, and
// says what each n-gram had to say.
package counts

import (
	"fmt"

	"imdbexp/dataset/ngrams"
	"imdbexp/internal/convex"
	"imdbexp/internal/sparse"
	"imdbexp/models"
)

// Scorer is a Counting model with its F features and its weights in K columns: one for two
// classes, which speaks for class 1 and against class 0, else one for each class.
type Scorer struct {
	Features *ngrams.Features
	W        *models.Weight // [F, K]
	B        *models.Weight // [1, K]

	of      models.Counts
	classes int
	idf     []float64 // [F]; nil where n-grams are there or not
	w       []float64 // [F, K] W, as Refresh has found it
}

// New returns a scorer whose weights are 0.
func New(of models.Counts, f *ngrams.Features, classes int) *Scorer {
	k := convex.Columns(classes)
	s := &Scorer{
		Features: f, of: of, classes: classes, w: make([]float64, f.Len()*k),
		W: &models.Weight{Name: "W", Rows: f.Len(), Cols: k, Data: make([]float32, f.Len()*k)},
		B: &models.Weight{Name: "b", Rows: 1, Cols: k, Data: make([]float32, k)},
	}
	if !of.Binary {
		s.idf = f.IDF()
	}
	return s
}

// Kept brings back a scorer: features are as its Features have written them, numbers returns
// its weights.
func Kept(of models.Counts, classes int, features []byte, numbers func(name string, rows, cols int) ([]float32, error)) (*Scorer, error) {
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

// Weights returns W and B, for who fills them; Refresh has to follow.
func (s *Scorer) Weights() []*models.Weight { return []*models.Weight{s.W, s.B} }

// Binary reports whether n-grams are there or not; else they have a TF-IDF.
func (s *Scorer) Binary() bool { return s.of.Binary }

// Refresh takes over the weights as they are.
func (s *Scorer) Refresh() {
	for i, w := range s.W.Data {
		s.w[i] = float64(w)
	}
}

// Matrix returns the features of reviews, whose words are IDs of a vocabulary: x [B, F].
func (s *Scorer) Matrix(pool sparse.Pool, reviews ngrams.Reviews, vocabulary []string) (*sparse.Matrix, error) {
	m, err := s.Features.Encode(pool, reviews, vocabulary, s.of.Binary)
	if err == nil && !s.of.Binary {
		err = ngrams.TFIDF(pool, m, s.idf, s.of.Sublinear)
	}
	return m, err
}

// Scores returns z = x·W + b for each class [B, C]. Of two classes each has half of what
// speaks for it against the other.
func (s *Scorer) Scores(pool sparse.Pool, x *sparse.Matrix) ([]float32, error) {
	k := s.W.Cols
	z := make([]float64, x.Rows*k)
	if x.Cols != s.W.Rows {
		return nil, fmt.Errorf("reviews of %d features for weights of %d", x.Cols, s.W.Rows)
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
