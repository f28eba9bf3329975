package scores

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/integrate/quad"

	"imdbexp/dataset/embedding"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/models/counts"
)

var lime = Score{
	Name: LIME, Title: "LIME", Signed: true, Source: "Ribeiro, Singh and Guestrin 2016, section 3",
	Definition: fmt.Sprintf("The weight of the word in a linear model of the margin, fitted by least squares to %d texts with random words masked by an unknown word. A text counts exp(−D²/2σ²), with D its cosine distance from the whole text and σ = %g, as in the authors' code.", limeTexts, limeWidth),
	Repeats:    asksOften, Slow: true,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.estimate(ctx, texts, func(t Text) (score, within []float64, asked int, err error) {
			return a.lime(ctx, t, limeTexts)
		})
	},
}

var shap = Score{
	Name: SHAP, Title: "Shapley value", Signed: true, Source: "Lundberg and Lee 2017 (kernel SHAP); Shapley 1953; Covert and Lee 2021",
	Definition: fmt.Sprintf("What the word adds to the margin on average over all orders in which the words could come, with the mean of all word vectors in place of words that have not come yet. Exact for texts of at most %d words and for models with binary n-grams; else estimated from random sets of words. The numbers of the words add up to what the margin gains.", exactWords),
	Repeats:    asksOften, Slow: true,
	compute: func(ctx context.Context, a *Asker, texts []Text) (out [][]float32, err error) {
		err = a.model.WithVectors(a.model.MeanVector(), func(mean int32, _ []float32) error {
			out, err = a.estimate(ctx, texts, func(t Text) (score, within []float64, asked int, err error) {
				switch n := len(t.Rows); {
				case a.model.Scorer() != nil && a.model.Scorer().Binary():
					score, err = a.additive(t)
				case n <= a.Exact:
					score, err = a.enumerate(ctx, t, mean)
				default:
					return a.shapley(ctx, t, mean, n+shapPairs)
				}
				return score, make([]float64, len(score)), 0, err
			})
			return err
		})
		return out, err
	},
}

const asksOften = "it asks the model thousands of times for each text"

const (
	limeTexts  = 5000 // num_samples of the authors' code
	limeWidth  = 0.25 // σ: kernel_width 25 of the authors' code, for distances times 100
	shapPairs  = 1024 // with a word each, the 2n + 2048 texts of the authors' code
	exactWords = 15   // up to which all sets of words are asked about
	maxWords   = 4096 // of an estimate, whose matrix has n² numbers
)

// Estimate describes scores that are estimated from random texts.
type Estimate struct {
	Within [][]float32 // half the 95 % interval of each word of each text; 0: exact
	Asked  int         // random texts, over all texts
}

// estimate computes a score of each text, and keeps its intervals in a.Estimate.
func (a *Asker) estimate(ctx context.Context, texts []Text, f func(t Text) (score, within []float64, asked int, err error)) ([][]float32, error) {
	out := make([][]float32, len(texts))
	a.Estimate = &Estimate{Within: make([][]float32, len(texts))}
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		score, within, asked, err := f(t)
		if err != nil {
			return nil, err
		}
		out[i], a.Estimate.Within[i] = infer.Float32s(score), infer.Float32s(within)
		a.Estimate.Asked += asked
	}
	return out, nil
}

// lime fits a linear model to the margins of random texts near t.
func (a *Asker) lime(ctx context.Context, t Text, samples int) (score, within []float64, asked int, err error) {
	n, key := len(t.Rows), simd.Hash1(simd.Key(a.seed, "lime"), uint64(t.Number))
	if n > maxWords {
		return nil, nil, 0, fmt.Errorf("the text has %d words; this score is estimated for at most %d: use a shorter text or another score", n, maxWords)
	}
	r := regression{n: n, z: make([]float32, samples*n), weight: make([]float64, samples)}
	for s := range samples {
		keep := n // the first is the whole text
		if s > 0 {
			keep = n - 1 - int(simd.Float64(key, uint64(s))*float64(n))
		}
		choose(r.z[s*n:][:n], simd.Hash1(key, uint64(s)), keep)
		d := (1 - math.Sqrt(float64(keep)/float64(n))) / limeWidth
		r.weight[s] = simd.Exp64(-d * d / 2)
	}
	if r.y, err = a.masked(ctx, t, embedding.OOVRow, r.z); err != nil {
		return nil, nil, 0, err
	}
	r.center()
	inverse, b, err := r.normal(ctx, a)
	if err != nil {
		return nil, nil, 0, err
	}
	score = product(inverse, b)
	e := r.residuals(score)
	for s, w := range r.weight {
		e[s] *= w
	}
	return score, r.within(inverse, e, 1), samples, nil
}

// shapley estimates Shapley values as the solution of the least-squares problem of Lundberg and Lee
// 2017, theorem 2. Sets of words are drawn by its weights, (n−1)/(C(n,k)·k·(n−k)) for k words, each
// with its complement (Covert and Lee 2021, section 4).
func (a *Asker) shapley(ctx context.Context, t Text, hole int32, pairs int) (score, within []float64, asked int, err error) {
	n, key := len(t.Rows), simd.Hash1(simd.Key(a.seed, "shap"), uint64(t.Number))
	if n > maxWords {
		return nil, nil, 0, fmt.Errorf("the text has %d words; this score is estimated for at most %d: use a shorter text or another score", n, maxWords)
	}
	ends, err := a.ends(ctx, t, hole)
	if err != nil {
		return nil, nil, 0, err
	}
	r := regression{n: n, z: make([]float32, 2*pairs*n)}
	upTo, sum := make([]float64, n), 0.0 // of the weights of sets with at most k words
	for k := 1; k < n; k++ {
		sum += 1 / float64(k*(n-k))
		upTo[k] = sum
	}
	for p := range pairs {
		u, k := simd.Float64(key, uint64(p))*sum, 1
		for k < n-1 && upTo[k] <= u {
			k++
		}
		set, rest := r.z[2*p*n:][:n], r.z[(2*p+1)*n:][:n]
		choose(set, simd.Hash1(key, uint64(p)), k)
		for j, v := range set {
			rest[j] = 1 - v
		}
	}
	if r.y, err = a.masked(ctx, t, hole, r.z); err != nil {
		return nil, nil, 0, err
	}
	for s := range r.y {
		r.y[s] -= ends[0]
	}
	inverse, b, err := r.normal(ctx, a)
	if err != nil {
		return nil, nil, 0, err
	}
	// The values add up to the gain of the margin: with a Lagrange multiplier, φ = P·b + u·gain/Σu,
	// where u = A⁻¹·1 and P = A⁻¹ − u·uᵀ/Σu.
	u, all := make([]float64, n), 0.0
	for i := range u {
		for _, v := range inverse[i*n:][:n] {
			u[i] += v
		}
		all += u[i]
	}
	for i := range u {
		for j := range u {
			inverse[i*n+j] -= float64(u[i] * u[j] / all)
		}
	}
	score = product(inverse, b)
	for i := range score {
		score[i] += float64(u[i] * (ends[1] - ends[0]) / all)
	}
	e := r.residuals(score)
	for p := range pairs { // P·1 = 0, so a complement moves the values by the same way back
		e[2*p] -= e[2*p+1]
	}
	return score, r.within(inverse, e, 2), 2 * pairs, nil
}

// ends returns the margins of a text whose words are all masked, and of the whole text.
func (a *Asker) ends(ctx context.Context, t Text, hole int32) ([]float64, error) {
	z := make([]float32, 2*len(t.Rows))
	choose(z[len(t.Rows):], 0, len(t.Rows))
	return a.masked(ctx, t, hole, z)
}

// enumerate computes Shapley values from the margins of all sets of words.
func (a *Asker) enumerate(ctx context.Context, t Text, hole int32) ([]float64, error) {
	n := len(t.Rows)
	z := make([]float32, n<<n)
	for set := range 1 << n {
		for j := range n {
			z[set*n+j] = float32(set >> j & 1)
		}
	}
	margins, err := a.masked(ctx, t, hole, z)
	if err != nil {
		return nil, err
	}
	weight := make([]float64, n) // of a set of k other words: k!(n−1−k)!/n!
	weight[0] = 1 / float64(n)
	for k := 1; k < n; k++ {
		weight[k] = weight[k-1] * float64(k) / float64(n-k)
	}
	score := make([]float64, n)
	for set := range margins {
		for j := range score {
			if with := set | 1<<j; with != set {
				score[j] += float64(weight[bits.OnesCount(uint(set))] * (margins[with] - margins[set]))
			}
		}
	}
	return score, nil
}

// choose sets k random numbers of z to 1 and the others to 0 (Knuth 1997, section 3.4.2, algorithm S).
func choose(z []float32, key uint64, k int) {
	for j := range z {
		z[j] = 0
		if simd.Float64(key, uint64(j))*float64(len(z)-j) < float64(k) {
			z[j] = 1
			k--
		}
	}
}

// masked returns the margins of a text with some of its words masked: z [S, n] has 1 for the words
// that stay; the row hole replaces the others.
func (a *Asker) masked(ctx context.Context, t Text, hole int32, z []float32) ([]float64, error) {
	n := len(t.Rows)
	out := make([]float64, len(z)/n)
	return out, a.variants(ctx, t, len(out), func(rows []int32, i int) []int32 {
		for j, stays := range z[i*n:][:n] {
			if stays > 0 {
				rows = append(rows, t.Rows[j])
			} else {
				rows = append(rows, hole)
			}
		}
		return rows
	}, func(i int, b *infer.Batch, k int) { out[i] = Margin(b.Logits(k), t.Class) })
}

// additive returns the Shapley values of a model with binary n-grams. Its margin is a sum over
// n-grams, and so are its Shapley values. An n-gram counts once all words of one of its places are
// there.
func (a *Asker) additive(t Text) ([]float64, error) {
	e, err := a.model.Explain(t.Encoded, t.Class)
	if err != nil {
		return nil, err
	}
	sign := 1.0
	if e.For != t.Class {
		sign = -1
	}
	out := make([]float64, len(t.Rows))
	for _, term := range e.Terms {
		for word, share := range shares(term.Places) {
			out[word] += sign * term.Sum * share
		}
	}
	return out, nil
}

// shares returns the Shapley values of the game that is won by all words of any of the places,
// which are given in the order of the text. Places without common words share evenly. Else a value
// is the integral over p of the probability that a word decides, when each other word is there with
// probability p (Owen 1972).
func shares(places []counts.Place) map[int]float64 {
	out, ends, apart := map[int]float64{}, map[int]bool{}, true
	for i, p := range places {
		apart = apart && (i == 0 || places[i-1].To <= p.From)
		ends[p.To-1] = true
		for w := p.From; w < p.To; w++ {
			out[w] = 1
		}
	}
	words := places[0].To - places[0].From
	for word := range out {
		if out[word] = 1 / float64(len(out)); !apart {
			out[word] = quad.Fixed(func(p float64) float64 {
				return none(places, ends, words, word, p, 0) - none(places, ends, words, word, p, 1)
			}, 0, 1, len(out)/2+1, quad.Legendre{}, 0)
		}
	}
	return out
}

// none returns the probability that no place is complete, when one word is there with probability
// given, and each other word with probability p.
func none(places []counts.Place, ends map[int]bool, words, one int, p, given float64) float64 {
	run := make([]float64, words+1) // by how many words up to here are there without a gap
	run[0] = 1
	for w := places[0].From; w < places[len(places)-1].To; w++ {
		here, gone := p, 0.0
		if w == one {
			here = given
		}
		for _, v := range run {
			gone += v * (1 - here)
		}
		run[words] = (run[words] + run[words-1]) * here
		for k := words - 1; k > 0; k-- {
			run[k] = run[k-1] * here
		}
		if run[0] = gone; ends[w] {
			run[words] = 0
		}
	}
	total := 0.0
	for _, v := range run {
		total += v
	}
	return total
}

// regression is a weighted least-squares problem: y ≈ z·φ. Its sums have one order, so its results
// have the same bits everywhere.
type regression struct {
	n      int
	z      []float32 // [S, n] 0 or 1
	y      []float64 // [S]
	weight []float64 // [S]; nil: all 1
	mean   []float32 // [n] of z, with an intercept; nil without
}

func (r *regression) at(s int) (z []float32, weight float64) {
	if z = r.z[s*r.n:][:r.n]; r.weight == nil {
		return z, 1
	}
	return z, r.weight[s]
}

// center adds an intercept: it subtracts the weighted means.
func (r *regression) center() {
	sum, y, all := make([]float64, r.n), 0.0, 0.0
	for s := range r.y {
		z, w := r.at(s)
		for j, v := range z {
			sum[j] += float64(w * float64(v))
		}
		y, all = y+float64(w*r.y[s]), all+w
	}
	r.mean = make([]float32, r.n)
	for j := range sum {
		r.mean[j] = float32(sum[j] / all)
	}
	for s := range r.y {
		r.y[s] -= y / all
		for j, m := range r.mean {
			r.z[s*r.n+j] -= m
		}
	}
}

// normal returns the inverse of A = Σ w·z·zᵀ [n, n] and b = Σ w·z·y [n].
func (r *regression) normal(ctx context.Context, a *Asker) (inverse, b []float64, err error) {
	n := r.n
	l, b := make([]float64, n*n), make([]float64, n)
	err = a.model.Pool().For(n, func(i int) {
		row := l[i*n:][:i+1]
		for s, y := range r.y {
			z, w := r.at(s)
			if w *= float64(z[i]); w == 0 {
				continue
			}
			b[i] += float64(w * y)
			for j, v := range z[:i+1] {
				row[j] += float64(w * float64(v))
			}
		}
	})
	if err == nil {
		inverse, err = invert(ctx, l, n)
	}
	return inverse, b, err
}

// invert returns the inverse of a symmetric positive matrix, of which the lower triangle is given
// and overwritten, by Cholesky's decomposition A = LLᵀ.
func invert(ctx context.Context, l []float64, n int) ([]float64, error) {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := l[i*n:][:n]
		for j := range i + 1 {
			other, sum := l[j*n:][:n], row[j]
			for k := range j {
				sum -= float64(row[k] * other[k])
			}
			switch {
			case j < i:
				row[j] = sum / other[j]
			case !(sum > 1e-9*row[i]):
				return nil, fmt.Errorf("the sampled texts do not distinguish its %d words; use a shorter text", n)
			default:
				row[i] = math.Sqrt(sum)
			}
		}
	}
	out, x := make([]float64, n*n), make([]float64, n)
	for c := range n { // column c of the inverse solves LLᵀx = e_c
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := c; i < n; i++ {
			sum := 0.0
			if i == c {
				sum = 1
			}
			for k := c; k < i; k++ {
				sum -= float64(l[i*n+k] * x[k])
			}
			x[i] = sum / l[i*n+i]
		}
		for i := n - 1; i >= c; i-- { // the rest follows by symmetry
			x[i] /= l[i*n+i]
			for k := c; k < i; k++ {
				x[k] -= float64(l[i*n+k] * x[i])
			}
			out[i*n+c], out[c*n+i] = x[i], x[i]
		}
	}
	return out, nil
}

// product returns the matrix a [n, n] times b [n].
func product(a, b []float64) []float64 {
	out := make([]float64, len(b))
	for i := range out {
		for j, v := range a[i*len(b):][:len(b)] {
			out[i] += float64(v * b[j])
		}
	}
	return out
}

// residuals returns y − z·φ.
func (r *regression) residuals(phi []float64) []float64 {
	out := make([]float64, len(r.y))
	for s, y := range r.y {
		z, _ := r.at(s)
		for j, v := range z {
			y -= float64(phi[j] * float64(v))
		}
		out[s] = y
	}
	return out
}

// within returns half the 95 % intervals of the solution: of every step-th text, e says how far it
// moves the solution, along p·z. No equal variances are assumed (White 1980; MacKinnon and White
// 1985, HC1).
func (r *regression) within(p, e []float64, step int) []float64 {
	out := make([]float64, r.n)
	texts := float64(len(e) / step)
	few := texts / max(1, texts-float64(r.n))
	for i := range out {
		row := infer.Float32s(p[i*r.n:][:r.n])
		for s := 0; s < len(e); s += step {
			z, _ := r.at(s)
			by := float64(simd.Dot(row, z)) * e[s]
			out[i] += float64(by * by)
		}
		out[i] = 1.96 * math.Sqrt(few*out[i])
	}
	return out
}
