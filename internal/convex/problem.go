// Package convex fits linear classifiers: it minimises
//
//	f(W, b) = ½‖W‖² + C Σᵢ loss(yᵢ, zᵢ),   zᵢ = Wᵀ(s∘xᵢ) + b
//
// as scikit-learn states it for LogisticRegression, over sparse rows xᵢ, by a trust-region Newton method.
// Two classes have one column of weights, for the score of class 1 against class 0. Three or more
// classes have one column each. A step has the same bits on every processor and for any number
// of workers: sums have one order, products are rounded before they are added, and exponential
// and logarithm are package simd's.
package convex

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/simd"
	"imdbexp/internal/sparse"
)

// Loss is a loss function.
type Loss string

// The losses, z the scores of a row and y its class.
const (
	// Logistic is −ln P(y): with two classes ln(1 + e^{∓z}), with more the cross-entropy of
	// softmax(z) (multinomial).
	Logistic Loss = "logistic"
	// SquaredHinge is max(0, 1 ∓ z)²; with more than two classes it is summed over the
	// columns, each class against the rest.
	SquaredHinge Loss = "squared-hinge"
)

// Problem is a function to minimise: N rows of F features in K classes. At least two classes occur.
type Problem struct {
	X          *sparse.Matrix // [N, F]
	Transposed *sparse.Matrix // its transpose; made if nil
	Labels     []int32        // [N] 0 … K−1
	Classes    int            // K
	Loss       Loss           // "": Logistic
	C          float64        // weight of the loss
	Weights    []float64      // [K] of the loss of a row, by its class; nil for ones
	// Scale is s: it multiplies each feature, for each column of weights. Nil means ones. It
	// is used for log-count ratios.
	Scale []float64 // [F, Columns(K)]
}

// Columns returns how many columns of weights K classes have.
func Columns(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// check returns an error for a problem without a solution, and completes it.
func (p *Problem) check() error {
	switch {
	case p.X == nil || p.X.Rows == 0:
		return errors.New("a linear classifier has no row to learn from")
	case slices.Min(p.Labels) == slices.Max(p.Labels):
		return fmt.Errorf("all %d rows have the class %d: a classifier needs two", len(p.Labels), p.Labels[0])
	}
	if p.Transposed == nil {
		p.Transposed = p.X.Transpose()
	}
	return nil
}

// The loss of a row, its gradient by the scores z (in dz), and its curvature (in curve):
// the diagonal of the Hessian by z where it is diagonal, and for softmax the probabilities p,
// whose Hessian is diag(p) − p·pᵀ. All have length K.
func (p *Problem) loss(y int32, z, dz, curve []float64) float64 {
	switch {
	case p.Loss == SquaredHinge:
		return squaredHinge(y, z, dz, curve)
	case len(z) == 1:
		return logistic(y, z, dz, curve)
	default:
		return softmax(y, z, dz, curve)
	}
}

// bend multiplies q, the change of a row's scores, by the Hessian.
func (p *Problem) bend(q, curve []float64) {
	var mean float64
	if p.Loss != SquaredHinge && len(q) > 1 {
		for k, x := range q {
			mean += float64(curve[k] * x)
		}
	}
	for k, x := range q {
		q[k] = float64(curve[k] * (x - mean))
	}
}

func squaredHinge(y int32, z, dz, curve []float64) (loss float64) {
	for k, x := range z {
		sign := -1.0
		if int(y) == k || len(z) == 1 && y == 1 {
			sign = 1
		}
		if len(z) == 1 && y == 0 {
			sign = -1
		}
		dz[k], curve[k] = 0, 0
		if short := 1 - float64(sign*x); short > 0 {
			loss += float64(short * short)
			dz[k], curve[k] = -2*sign*short, 2
		}
	}
	return loss
}

func logistic(y int32, z, dz, curve []float64) float64 {
	sign := float64(2*y - 1)
	m := sign * z[0]
	e := simd.Exp64(-max(m, -m))
	wrong := e / (1 + e) // probability of the other class
	if m < 0 {
		wrong = 1 / (1 + e)
	}
	dz[0] = -sign * wrong
	curve[0] = e / float64((1+e)*(1+e)) // wrong·(1 − wrong) without its rounding
	return max(-m, 0) + simd.Log64(1+e)
}

func softmax(y int32, z, dz, curve []float64) float64 {
	highest := z[0]
	for _, x := range z {
		highest = max(highest, x)
	}
	var sum float64
	for k, x := range z {
		curve[k] = simd.Exp64(x - highest)
		sum += curve[k]
	}
	for k := range curve {
		curve[k] /= sum
		dz[k] = curve[k]
	}
	dz[y]--
	return highest + simd.Log64(sum) - z[y]
}

// LogCountRatios returns the log-count ratio of each feature for a class (Wang and Manning 2012,
// Baselines and Bigrams, eq. 3):
//
//	r = ln((p/‖p‖₁) / (q/‖q‖₁)),   p = α + Σ_{i of the class} xᵢ,   q = α + Σ_{other i} xᵢ
//
// [F, Columns(classes)]: with two classes of class 1 against class 0, with more of each class
// against the rest. transposed is Xᵀ [F, N], for nbsvm of ones; α is positive.
func LogCountRatios(pool sparse.Pool, transposed *sparse.Matrix, labels []int32, classes int, alpha float64) ([]float64, error) {
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
	for i := range r {
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
	return r, nil
}

// Interpolate sets w [F, columns] to (1−β)·w̄ + β·w, w̄ the mean magnitude of a column's
// weights: between naive Bayes (β = 0) and the fitted classifier (β = 1; Wang and Manning
// 2012, eq. 5). β is from 0 to 1.
func Interpolate(w []float64, columns int, beta float64) {
	if beta == 1 || len(w) == 0 {
		return
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
}
