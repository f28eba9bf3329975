package ops

import (
	"iter"
	"math"
)

// The arithmetic of Exact: plain loops that sum in the order of the equations.

// exactLinear adds x·w to y [x.Rows, w.Cols], and the row b unless it is nil.
func exactLinear(y, x, w Mat64, b []float64) {
	for i := range x.Rows {
		row := y.Row(i)
		for k, v := range x.Row(i) {
			for j, u := range w.Row(k) {
				row[j] += v * u
			}
		}
		exactAdd(row, b)
	}
}

// exactAdd adds b to a; nil adds nothing.
func exactAdd(a, b []float64) {
	for i, v := range b {
		a[i] += v
	}
}

func exactDot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// exactSum adds the rows of v, each times its weight, to y.
func exactSum(y, weights []float64, v Mat64) {
	for i, w := range weights {
		for j, x := range v.Row(i) {
			y[j] += w * x
		}
	}
}

// exactSoftmax sets y to exp(sᵢ)/Σ exp(sⱼ); y may be scores itself. A score of −∞ gives 0.
func exactSoftmax(y, scores []float64) {
	largest, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		largest = max(largest, s)
	}
	for i, s := range scores {
		y[i] = math.Exp(s - largest)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
}

// exactEntropy returns −Σ p log p in nats.
func exactEntropy(p []float64) float64 {
	sum := 0.0
	for _, v := range p {
		if v > 0 {
			sum -= v * math.Log(v)
		}
	}
	return sum
}

func exactSigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

// exactNormal sets y to (x − μ)/√(σ² + ε).
func exactNormal(y, x []float64, mean, variance, eps float64) {
	for i, v := range x {
		y[i] = (v - mean) / math.Sqrt(variance+eps)
	}
}

// exactScale multiplies each row of y by scale and adds shift.
func exactScale(y Mat64, scale, shift []float64) {
	for i := range y.Rows {
		row := y.Row(i)
		for j := range row {
			row[j] = row[j]*scale[j] + shift[j]
		}
	}
}

// exactMoments returns the mean and the biased variance.
func exactMoments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, variance
}

// transposed returns xᵀ.
func transposed(x Mat64) Mat64 {
	out := newWide(x.Cols, x.Rows)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			out.Row(j)[i] = v
		}
	}
	return out
}

// weighRows scores queries against keys by f and takes the softmax of scale times the
// scores over the keys, or over the queries. If causal, query i attends to the keys up
// to i.
func weighRows(queries, keys Mat64, scale float64, overQueries, causal bool, f func(q, k []float64) float64) Weighing {
	return Weighing{Queries: queries, Keys: keys, Scale: scale, OverQueries: overQueries, Read: queries.Rows, causal: causal, score: f}
}

// Each iterates over the softmaxes: their unscaled scores and their weights, valid until the
// next iteration. A softmax compares all keys for one query, or with OverQueries all queries
// for one key.
func (w *Weighing) Each() iter.Seq2[[]float64, []float64] {
	return func(yield func(scores, weights []float64) bool) {
		if w.score == nil {
			scores, weights := w.Scores, w.Weights
			if w.OverQueries {
				scores, weights = transposed(scores), transposed(weights)
			}
			for i := 0; i < scores.Rows && yield(scores.Row(i), weights.Row(i)); i++ {
			}
			return
		}
		rows, cols := w.Queries.Rows, w.Keys.Rows
		if w.OverQueries {
			rows, cols = cols, rows
		}
		scores, weights := make([]float64, cols), make([]float64, cols)
		for i := range rows {
			for j := range cols {
				q, k := w.pair(i, j)
				scores[j] = w.score(w.Queries.Row(q), w.Keys.Row(k))
				weights[j] = w.Scale * scores[j]
				if w.causal && k > q {
					weights[j] = math.Inf(-1)
				}
			}
			w.By.exact(weights)
			if !yield(scores, weights) {
				return
			}
		}
	}
}

// pair returns the query and the key of score j of softmax i.
func (w *Weighing) pair(i, j int) (query, key int) {
	if w.OverQueries {
		return j, i
	}
	return i, j
}

// filled returns w with Scores and Weights.
func (w Weighing) filled() Weighing {
	if w.score == nil {
		return w
	}
	out := w
	out.Scores, out.Weights, out.score = newWide(w.Queries.Rows, w.Keys.Rows), newWide(w.Queries.Rows, w.Keys.Rows), nil
	i := 0
	for scores, weights := range w.Each() {
		for j := range scores {
			q, k := w.pair(i, j)
			out.Scores.Row(q)[k], out.Weights.Row(q)[k] = scores[j], weights[j]
		}
		i++
	}
	return out
}

// exactAdditive weighs by the scores v·tanh(q + k).
func exactAdditive(queries, keys Mat64, v []float64) Weighing {
	w := weighRows(queries, keys, 1, false, false, func(q, k []float64) float64 {
		sum := 0.0
		for j, x := range v {
			sum += x * math.Tanh(q[j]+k[j])
		}
		return sum
	})
	w.Additive = true
	return w
}

// of returns the rows of a review.
func (s *Seq) of(m Mat64, review int) Mat64 { return m.Range(s.Offsets[review], s.Offsets[review+1]) }

// eachRow calls f for every row and its review.
func (s *Seq) eachRow(f func(review, row int)) {
	for b := range s.reviews.Len() {
		for i := s.Offsets[b]; i < s.Offsets[b+1]; i++ {
			f(b, i)
		}
	}
}

// entropy returns the mean entropy of the softmaxes.
func (w *Weighing) entropy() float64 {
	sum, n := 0.0, 0
	for _, weights := range w.Each() {
		sum += exactEntropy(weights)
		n++
	}
	return sum / float64(n)
}
