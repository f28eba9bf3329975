package convex

import (
	"fmt"
	"math"

	"imdbexp/internal/simd"
	"imdbexp/internal/sparse"
)

// LogCountRatios returns the log-count ratio of each feature for a class (Wang and Manning 2012,
// Baselines and Bigrams, eq. 3):
//
//	r = ln((p/‖p‖₁) / (q/‖q‖₁)),   p = α + Σ_{i of the class} xᵢ,   q = α + Σ_{other i} xᵢ
//
// [F, Columns(classes)]: with two classes of class 1 against class 0, with more of each class
// against the rest. transposed is Xᵀ [F, N], for nbsvm of ones. It fails if α is not positive or
// a label is out of range.
func LogCountRatios(pool sparse.Pool, transposed *sparse.Matrix, labels []int32, classes int, alpha float64) ([]float64, error) {
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("log-count ratios with α=%v: choose more than 0", alpha)
	}
	if len(labels) != transposed.Cols {
		return nil, fmt.Errorf("log-count ratios of %d rows with %d labels", transposed.Cols, len(labels))
	}
	if err := checkLabels(labels, classes); err != nil {
		return nil, err
	}
	of := make([]float64, len(labels)*classes) // [N, classes] 1 for a row's class
	for i, l := range labels {
		of[i*classes+int(l)] = 1
	}
	counts := make([]float64, transposed.Rows*classes)
	if err := transposed.Multiply(pool, counts, of, classes); err != nil {
		return nil, err
	}
	totals, all := make([]float64, classes), 0.0
	for i, n := range counts {
		totals[i%classes] += n
		all += n
	}
	smooth := float64(alpha * float64(transposed.Rows))
	columns := Columns(classes)
	r := make([]float64, transposed.Rows*columns)
	err := pool.For((len(r)+shardSize-1)/shardSize, func(s int) {
		for i := s * shardSize; i < min(len(r), (s+1)*shardSize); i++ {
			row, class := counts[i/columns*classes:][:classes], i%columns
			if columns == 1 {
				class = 1
			}
			var sum float64
			for _, n := range row {
				sum += n
			}
			p, q := alpha+row[class], alpha+(sum-row[class])
			r[i] = simd.Log64(p/(smooth+totals[class])) - simd.Log64(q/(smooth+(all-totals[class])))
		}
	})
	return r, err
}

// Interpolate sets w [F, columns] to (1−β)·w̄ + β·w, w̄ the mean magnitude of a column's
// weights: between naive Bayes (β = 0) and the fitted classifier (β = 1; Wang and Manning
// 2012, eq. 5). β is from 0 to 1.
func Interpolate(w []float64, columns int, beta float64) error {
	if !(beta >= 0 && beta <= 1) {
		return fmt.Errorf("interpolation by β=%v: choose 0 to 1", beta)
	}
	if beta == 1 || len(w) == 0 {
		return nil
	}
	mean := make([]float64, columns)
	for i, x := range w {
		mean[i%columns] += math.Abs(x)
	}
	for k := range mean {
		mean[k] /= float64(len(w) / columns)
	}
	for i, x := range w {
		w[i] = float64((1-beta)*mean[i%columns]) + float64(beta*x)
	}
	return nil
}
