package battery

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/simd"
	"imdbexp/report/stats"
)

var sanity = Test{
	Name: "sanity", Title: "Sanity", Source: "Adebayo et al. 2018, section 3; Yeh et al. 2019, definitions 2.1 and 3.1",
	Says:    fmt.Sprintf("Three questions to a score. Of a model whose weights were drawn anew, words keeping their vectors: is it another (τ and overlap near those of chance)? Infidelity: with %d random sets of words, a tenth of the review each, set to vectors of zeros: how much of the margin's changes do the scores of these words, added up and scaled as well as can be, leave unexplained (0: none, 1: all)? Sensitivity: with noise of a tenth of the vectors' spread, how far does the score move at most in %d draws, as a share of its length (the median over up to %d reviews)?", infidelityDraws, sensitivityDraws, sensitivityReviews),
	Cannot:  "A score that passes is no explanation yet: these find scores that cannot be one. Attention and norms have no sign, so that their infidelity is high where words speak for both sides; chance shows what the numbers would be of a score that knows nothing.",
	Version: 1,
	ranges:  map[string]stats.Interval{"τ with random weights": correlation, "sensitivity": {Low: 0, High: math.Inf(1)}},
	run:     runSanity,
}

const (
	infidelityDraws  = 50
	infidelityShare  = 0.1
	sensitivityDraws = 5
	// Of every so many reviews one: each draw takes all scores anew.
	sensitivityReviews = 100
	sensitivityNoise   = 0.1
)

func runSanity(ctx context.Context, s *Subject) (*Result, error) {
	r := &Result{}
	if err := s.untrained(ctx, r); err != nil {
		return nil, err
	}
	if err := s.infidelity(ctx, r); err != nil {
		return nil, err
	}
	return r, s.sensitivity(ctx, r)
}

// untrained compares the scores with those of the model with other weights.
func (s *Subject) untrained(ctx context.Context, r *Result) error {
	m, err := s.Again(&s.Seed)
	if err != nil {
		return err
	}
	defer m.Close()
	a := scores.New(m, s.Asker.Options)
	defer a.Close()
	a.Seed++ // chance is drawn anew, too
	for _, score := range s.Scores {
		trained, err := s.Of(ctx, score)
		if err != nil {
			return err
		}
		var other [][]float32
		for texts := range slices.Chunk(s.Texts, chunk) {
			s.heard(score.Title+" of random weights", len(other))
			part, err := a.Of(ctx, score, texts)
			if err != nil {
				return err
			}
			other = append(other, part...)
		}
		tau, _, overlap, err := s.alike(trained, other)
		if err != nil {
			return err
		}
		r.meanOf("τ with random weights", score.Title, "", tau)
		r.meanOf(overlapName, score.Title, "", overlap)
	}
	return nil
}

// infidelity asks about the reviews with some of their words set to zero.
func (s *Subject) infidelity(ctx context.Context, r *Result) error {
	n := len(s.Texts)
	falls, taken := make([][]float64, n), make([][][]int, n) // [review][draw], and the places set to zero
	err := s.Model.Beside(make([]float32, s.Model.Dim()), func(zero int32, _ []float32) error {
		for lo := 0; lo < n; lo += chunk {
			hi := min(lo+chunk, n)
			s.heard("infidelity", lo)
			var list []infer.Encoded // [review][whole, draws]
			for i, t := range s.Texts[lo:hi] {
				list = append(list, t.Encoded)
				draw := rand.New(rand.NewPCG(s.Seed+1, uint64(t.Number)))
				for range infidelityDraws {
					places := drawn(draw, len(t.Rows), infidelityShare)
					rows := slices.Clone(t.Rows)
					for _, k := range places {
						rows[k] = zero
					}
					taken[lo+i] = append(taken[lo+i], places)
					list = append(list, infer.Encoded{Rows: rows})
				}
			}
			margins := make([]float64, len(list))
			err := s.Model.Each(ctx, list, func(j int, b *infer.Batch, k int) error {
				margins[j] = scores.Margin(b.Logits(k), s.Texts[lo+j/(infidelityDraws+1)].Class)
				return nil
			})
			if err != nil {
				return err
			}
			for i := lo; i < hi; i++ {
				of := margins[(i-lo)*(infidelityDraws+1):][:infidelityDraws+1]
				for _, m := range of[1:] {
					falls[i] = append(falls[i], of[0]-m)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, score := range s.Scores {
		list, err := s.Of(ctx, score)
		if err != nil {
			return err
		}
		left := make([]float64, n)
		for i := range left {
			sums := make([]float64, len(taken[i]))
			for d, places := range taken[i] {
				for _, k := range places {
					sums[d] += float64(list[i][k])
				}
			}
			left[i] = unexplained(sums, falls[i])
		}
		r.meanOf("infidelity", score.Title, "", left)
	}
	return nil
}

// drawn returns a share of n places, rounded up, at random and rising.
func drawn(draw *rand.Rand, n int, share float64) []int {
	places := draw.Perm(n)[:int(math.Ceil(share*float64(n)))]
	slices.Sort(places)
	return places
}

// unexplained returns min over β ≥ 0 of Σ(β·x − y)²/Σy²: what of y is left when x, scaled
// as well as can be, is taken from it. It is NaN where y is zero.
func unexplained(x, y []float64) float64 {
	var xx, xy, yy float64
	for i := range x {
		xx += float64(x[i] * x[i])
		xy += float64(x[i] * y[i])
		yy += float64(y[i] * y[i])
	}
	if xx == 0 || xy <= 0 {
		return 1 + 0*yy/yy // NaN of 0/0
	}
	return max(0, 1-float64(xy/xx*xy)/yy)
}

// sensitivity moves the words' vectors a little.
func (s *Subject) sensitivity(ctx context.Context, r *Result) error {
	var places []int
	for i := 0; i < len(s.Texts); i += (len(s.Texts) + sensitivityReviews - 1) / sensitivityReviews {
		places = append(places, i)
	}
	for _, score := range s.Scores {
		if score.Name == scores.Random {
			continue
		}
		if score.Repeats != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("Sensitivity of %s is left out, since %s.", score.Title, score.Repeats))
			continue
		}
		before, err := s.Of(ctx, score)
		if err != nil {
			return err
		}
		worst := make([]float64, len(places))
		for draw := range sensitivityDraws {
			s.heard("sensitivity of "+score.Title, draw*len(s.Texts)/sensitivityDraws)
			texts, vectors := s.disturbed(places, draw)
			err := s.Model.Beside(vectors, func(first int32, _ []float32) error {
				for _, t := range texts {
					for k := range t.Rows {
						t.Rows[k] += first
					}
				}
				after, err := s.Asker.Of(ctx, score, texts)
				for i := range after {
					worst[i] = max(worst[i], distance(before[places[i]], after[i]))
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		r.medianOf("sensitivity", score.Title, "", worst)
	}
	return nil
}

// disturbed returns reviews whose rows count vectors of their own, which are those of
// their words with noise.
func (s *Subject) disturbed(places []int, draw int) (texts []scores.Text, vectors []float32) {
	d := s.Model.Dim()
	for _, i := range places {
		t, from := s.Texts[i], len(vectors)
		rows := make([]int32, len(t.Rows))
		for k, row := range t.Rows {
			rows[k] = int32(len(vectors) / d)
			vectors = append(vectors, s.Model.Vector(row)...)
		}
		disturb(vectors[from:], simd.Key(s.Seed, fmt.Sprintf("sensitivity/%d/%d", t.Number, draw)))
		t.Rows = rows
		texts = append(texts, t)
	}
	return texts, vectors
}

// disturb adds to each number one drawn evenly from ± a share of their spread.
func disturb(x []float32, key uint64) {
	square := 0.0
	for _, v := range x {
		square += float64(float64(v) * float64(v))
	}
	radius := float32(sensitivityNoise * math.Sqrt(square/float64(len(x))))
	noise := make([]float32, len(x))
	simd.Uniform(noise, key, -radius, radius)
	simd.Add(x, noise)
}

// distance returns ‖y − x‖/‖x‖, 0 where both are zero.
func distance(x, y []float32) float64 {
	var dd, xx float64
	for i := range x {
		d := float64(y[i]) - float64(x[i])
		dd += float64(d * d)
		xx += float64(float64(x[i]) * float64(x[i]))
	}
	if dd == 0 {
		return 0
	}
	return math.Sqrt(dd / xx)
}
