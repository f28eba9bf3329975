// Package counts scores reviews by their n-grams with the weights of a Counting model, and splits
// a score into the terms of the n-grams.
package counts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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

// Explanation is the score of a linear model for a text as a sum, with a term for each n-gram.
// The sign of a term says which class it supports.
type Explanation struct {
	For     int       // the class that positive terms support: class 1 of two, otherwise the predicted class
	Against int       // the class that negative terms support; -1 for the other classes
	Bias    float64   // the score of an empty text
	Terms   []Term    // by decreasing absolute value
	Words   []float64 // [n] the part of each word in the terms of the n-grams that contain it
}

// Term is an n-gram of a text.
type Term struct {
	Name   string
	Places []Place
	Sum    float64 // its feature times its weight
}

// Place is the words From … To−1 of a text.
type Place struct{ From, To int }

// Score returns the sum: positive for the class For.
func (e *Explanation) Score() float64 {
	sum := e.Bias
	for _, t := range e.Terms {
		sum += t.Sum
	}
	return sum
}

// Explain splits the score of a text into terms; predicted is the predicted class. The term of an
// n-gram is divided evenly among its places, and the part of a place among its words.
func (s *Scorer) Explain(words []string, predicted int) (*Explanation, error) {
	e := &Explanation{For: 1, Against: 0, Words: make([]float64, len(words))}
	if s.W.Cols > 1 {
		e.For, e.Against = predicted, -1
	}
	x, err := s.Matrix(sparse.Serial{}, single(len(words)), words)
	if err != nil {
		return nil, err
	}
	e.Bias = s.toward(e.For, s.B.Data)
	places := map[int][]Place{}
	for _, o := range s.Features.Find(words) {
		places[o.Feature] = append(places[o.Feature], Place{o.From, o.To})
	}
	index, value := x.Row(0)
	for i, f := range index {
		t := Term{Name: s.Features.Name(int(f)), Places: places[int(f)], Sum: s.Weight(int(f), e.For)}
		if value != nil {
			t.Sum *= float64(value[i])
		}
		for _, p := range t.Places {
			for w := p.From; w < p.To; w++ {
				e.Words[w] += t.Sum / float64(len(t.Places)*(p.To-p.From))
			}
		}
		e.Terms = append(e.Terms, t)
	}
	slices.SortStableFunc(e.Terms, func(a, b Term) int { return cmp.Compare(math.Abs(b.Sum), math.Abs(a.Sum)) })
	return e, nil
}

// Weight returns how much a feature supports a class over the other one, or over the mean of all
// others.
func (s *Scorer) Weight(feature, class int) float64 {
	return s.toward(class, s.W.Data[feature*s.W.Cols:][:s.W.Cols])
}

func (s *Scorer) toward(class int, row []float32) float64 {
	if len(row) == 1 {
		return float64(row[0]) * float64(2*class-1)
	}
	var others float64
	for k, w := range row {
		if k != class {
			others += float64(w)
		}
	}
	return float64(row[class]) - others/float64(len(row)-1)
}

// Heaviest returns the n features that support a class most. Among equal weights the more frequent
// feature comes first.
func (s *Scorer) Heaviest(class, n int) []int {
	var out []int
	less := func(a, b int) int {
		return cmp.Or(cmp.Compare(s.Weight(b, class), s.Weight(a, class)), cmp.Compare(a, b))
	}
	for f := range s.W.Rows {
		if len(out) == n && less(f, out[n-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, f, less)
		out = slices.Insert(out, at, f)[:min(n, len(out)+1)]
	}
	return out
}

// single is one review of n words, whose IDs are their positions.
type single int

var _ ngrams.Reviews = single(0)

func (single) Len() int { return 1 }

func (n single) Words(int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
