package ngrams

import (
	"fmt"
	"math"

	"imdbexp/internal/simd"
	"imdbexp/internal/sparse"
)

// IDF returns the inverse document frequency of each feature [F] as scikit-learn's
// TfidfTransformer smooths it: ln((1+n)/(1+df)) + 1, with n reviews in train, df of them with the
// feature.
func (f *Features) IDF() []float64 {
	idf := make([]float64, f.Len())
	n := simd.Log64(float64(1 + f.Trained))
	for i, df := range f.reviews {
		idf[i] = n - simd.Log64(float64(1+df)) + 1
	}
	return idf
}

// TFIDF turns the counts of a matrix [B, F], in place, into tf·idf, each row divided by its
// Euclidean length; with sublinear, tf is 1 + ln(count). A row of zeros stays one. A matrix of
// ones gets values: tf is 1. It fails if idf has another length than F.
func TFIDF(pool sparse.Pool, m *sparse.Matrix, idf []float64, sublinear bool) error {
	if len(idf) != m.Cols {
		return fmt.Errorf("tf-idf of %d features with the document frequencies of %d", m.Cols, len(idf))
	}
	binary := m.Value == nil
	if binary {
		m.Value = make([]float32, len(m.Index))
	}
	cuts := sparse.Cuts(m.Start, shards)
	return pool.For(shards, func(s int) {
		from, to := cuts[s], cuts[s+1]
		var row []float64
		for i := from; i < to; i++ {
			index, value := m.Row(i)
			row = row[:0]
			var squares float64
			for j, c := range index {
				tf := float64(value[j])
				if binary {
					tf = 1
				}
				if sublinear {
					tf = simd.Log64(tf) + 1
				}
				x := float64(tf * idf[c])
				squares += float64(x * x)
				row = append(row, x)
			}
			length := math.Sqrt(squares)
			for j, x := range row {
				value[j] = float32(x / length)
			}
		}
	})
}
