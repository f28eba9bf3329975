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
	Definition: fmt.Sprintf("What the word adds to the margin on average over all orders of adding the words, with the mean of all word vectors in place of words not added yet. Exact for texts of at most %d words and for models with binary n-grams; else estimated from random sets of words. The values of the words add up to the gain of the margin.", exactWords),
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
	shapPairs  = 1024 // n + 1024 pairs are the 2n + 2048 texts of the authors' code
	exactWords = 15   // in longer texts, not all sets of words are predicted
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
	r, err := newRegression(samples, n)
	if err != nil {
		return nil, nil, 0, err
	}
	r.weight = make([]float64, samples)
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
	r, err := newRegression(2*pairs, n)
	if err != nil {
		return nil, nil, 0, err
	}
	ends, err := a.ends(ctx, t, hole)
	if err != nil {
		return nil, nil, 0, err
	}
	upTo, sum := make([]float64, n), 0.0 // total weight of sets with at most k words
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
	for p := range pairs { // P·1 = 0, so a complement counts with the opposite sign
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

// shares returns the Shapley values of a game: a set of words wins if it has all words of a place.
// places are in the order of the text. Places without common words share evenly. Else a value
// is the integral over p of the probability that a word decides, when each other word is there with
// probability p (Owen 1972).
func shares(places []counts.Place) map[int]float64 {
	out, ends, disjoint := map[int]float64{}, map[int]bool{}, true
	for i, p := range places {
		disjoint = disjoint && (i == 0 || places[i-1].To <= p.From)
		ends[p.To-1] = true
		for w := p.From; w < p.To; w++ {
			out[w] = 1
		}
	}
	words := places[0].To - places[0].From
	for word := range out {
		if out[word] = 1 / float64(len(out)); !disjoint {
			out[word] = quad.Fixed(func(p float64) float64 {
				return none(places, ends, words, word, p, 0) - none(places, ends, words, word, p, 1)
			}, 0, 1, len(out)/2+1, quad.Legendre{}, 0)
		}
	}
	return out
}

// none returns the probability that no place is complete if the word one is there with probability
// given, and each other word with probability p.
func none(places []counts.Place, ends map[int]bool, words, one int, p, given float64) float64 {
	run := make([]float64, words+1) // probabilities of k consecutive words that end here
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
