package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/report/stats"
)

var sanity = Test{
	Name: "sanity", Title: "Sanity", Source: "Adebayo et al. 2018, section 3; Yeh et al. 2019, definitions 2.1 and 3.1",
	Method: fmt.Sprintf("Measures three properties of a score. Random weights: its agreement (τ and overlap) with the score of the same model with random weights and the same word vectors, which should be near chance; means over %d draws of the weights and up to %d reviews, with an interval over both. "+
		"Infidelity: the share of the change of the margin that the scores leave unexplained, 0 to 1; %d random sets of words, a tenth of the review each, are set to zero vectors, and the scores of these words are added up and scaled optimally. "+
		"Sensitivity: the largest distance that the score moves, relative to its length, in %d draws of noise of a tenth of the vectors' spread; the median over up to %d reviews.", untrainedDraws, untrainedReviews, infidelityDraws, sensitivityDraws, sensitivityReviews),
	Limits:  "A score that passes is not yet an explanation: the questions only find scores that cannot be one. Attention and norms have no sign, so their infidelity is high if words speak for both sides. The row random shows the numbers of a score without information.",
	Version: 2,
	ranges:  map[string]stats.Interval{"τ with random weights": correlation, "sensitivity": {Low: 0, High: math.Inf(1)}},
	lacks:   countsNgrams,
	run:     runSanity,
}

const (
	infidelityDraws    = 50
	infidelityShare    = 0.1
	sensitivityDraws   = 5
	sensitivityReviews = 100 // each draw computes all scores again
	untrainedDraws     = 10
	untrainedReviews   = 100
	sensitivityNoise   = 0.1
)

// countsNgrams says why a model has no random weights and no vectors.
func countsNgrams(m *infer.Model) string {
	if m.Scorer() == nil {
		return ""
	}
	return "the model counts n-grams; the test needs a network with word vectors"
}

func runSanity(ctx context.Context, s *Subject) (*Result, error) {
	r := &Result{}
	for _, measure := range []func(context.Context, *Result) error{s.untrained, s.infidelity, s.sensitivity} {
		if err := measure(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// untrained compares the scores of the model with its scores after several draws of random weights.
// The interval covers other weights and other reviews.
func (s *Subject) untrained(ctx context.Context, r *Result) error {
	places := s.evenly(untrainedReviews)
	var texts []scores.Text
	for _, at := range places {
		texts = append(texts, s.Texts[at])
	}
	found := map[*scores.Score]*[2]Result{} // τ and overlap of each draw
	for _, score := range s.Scores {
		found[score] = &[2]Result{}
	}
	for draw := range untrainedDraws {
		s.heard(fmt.Sprintf("random weights %d of %d", draw+1, untrainedDraws), 0)
		if err := s.untrainedOnce(ctx, draw, places, texts, found); err != nil {
			return err
		}
	}
	for _, score := range s.Scores {
		for k, name := range []string{"τ with random weights", overlapName} {
			if draws := found[score][k].Values; len(draws) > 1 {
				r.overSeeds(name, score.Title, "", draws)
			}
		}
	}
	return nil
}

// untrainedOnce adds the numbers of one draw of the weights. Each run has its own draws.
func (s *Subject) untrainedOnce(ctx context.Context, draw int, places []int, texts []scores.Text, found map[*scores.Score]*[2]Result) error {
	seed := simd.Key(s.o.seed, fmt.Sprintf("untrained/%s/%d", s.run.Label(), draw))
	t, err := infer.ReadRun(s.run)
	if err != nil {
		return err
	}
	m, err := t.Untrained(s.pool, seed)
	if err != nil {
		return err
	}
	defer m.Close()
	a := scores.New(m, seed) // other random scores, too
	defer a.Close()
	return s.each(ctx, func(score *scores.Score, trained [][]float32) error {
		var of [][]float32
		for _, at := range places {
			of = append(of, trained[at])
		}
		other, err := a.Compute(ctx, score, texts)
		if err != nil {
			return err
		}
		tau, _, overlap, err := s.compareOrders(of, other)
		if err != nil {
			return err
		}
		found[score][0].meanOf("", "", "", tau)
		found[score][1].meanOf("", "", "", overlap)
		return nil
	})
}

// evenly returns at most n reviews, evenly spaced.
func (s *Subject) evenly(n int) (places []int) {
	for i := 0; i < len(s.Texts); i += (len(s.Texts) + n - 1) / n {
		places = append(places, i)
	}
	return places
}

// infidelity asks about the reviews with random sets of their words set to zero.
func (s *Subject) infidelity(ctx context.Context, r *Result) error {
	n := len(s.Texts)
	falls, zeroed := make([][]float64, n), make([][][]int, n) // [review][draw]: fall of the margin, places set to zero
	err := s.Model.WithVectors(make([]float32, s.Model.Dim()), func(zero int32, _ []float32) error {
		for lo := 0; lo < n; lo += chunk {
			hi := min(lo+chunk, n)
			s.heard("infidelity", lo)
			var list []infer.Encoded // [review][whole, draws]
			for i, t := range s.Texts[lo:hi] {
				list = append(list, t.Encoded)
				random := rand.New(rand.NewPCG(s.o.seed+1, uint64(t.Number)))
				for range infidelityDraws {
					places := random.Perm(len(t.Rows))[:int(math.Ceil(infidelityShare*float64(len(t.Rows))))]
					slices.Sort(places)
					rows := slices.Clone(t.Rows)
					for _, k := range places {
						rows[k] = zero
					}
					zeroed[lo+i] = append(zeroed[lo+i], places)
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
	return s.each(ctx, func(score *scores.Score, list [][]float32) error {
		rest := make([]float64, n)
		for i := range rest {
			sums := make([]float64, len(zeroed[i]))
			for d, places := range zeroed[i] {
				for _, k := range places {
					sums[d] += float64(list[i][k])
				}
			}
			rest[i] = unexplained(sums, falls[i])
		}
		r.meanOf("infidelity", score.Title, "", rest)
		return nil
	})
}

// unexplained returns min over β ≥ 0 of Σ(β·x − y)²/Σy², the share of y that the optimally
// scaled x does not explain. It is NaN if y is zero.
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

// sensitivity measures how far scores move when noise is added to the words' vectors.
func (s *Subject) sensitivity(ctx context.Context, r *Result) error {
	places := s.evenly(sensitivityReviews)
	return s.each(ctx, func(score *scores.Score, before [][]float32) error {
		if score.Name == scores.Random {
			return nil
		}
		if score.Repeats != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("Sensitivity of %s is omitted because %s.", score.Title, score.Repeats))
			return nil
		}
		worst := make([]float64, len(places))
		for draw := range sensitivityDraws {
			s.heard("sensitivity of "+score.Title, draw*len(s.Texts)/sensitivityDraws)
			texts, vectors := s.disturbed(places, draw)
			err := s.Model.WithVectors(vectors, func(first int32, _ []float32) error {
				for _, t := range texts {
					for k := range t.Rows {
						t.Rows[k] += first
					}
				}
				after, err := s.Asker.Compute(ctx, score, texts)
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
		return nil
	})
}

// disturbed returns reviews with noise added to the vectors of their words. Their rows
// count the returned vectors.
func (s *Subject) disturbed(places []int, draw int) (texts []scores.Text, vectors []float32) {
	d := s.Model.Dim()
	for _, i := range places {
		t, from := s.Texts[i], len(vectors)
		rows := make([]int32, len(t.Rows))
		for k, row := range t.Rows {
			rows[k] = int32(len(vectors) / d)
			vectors = append(vectors, s.Model.Vector(row)...)
		}
		disturb(vectors[from:], simd.Key(s.o.seed, fmt.Sprintf("sensitivity/%d/%d", t.Number, draw)))
		t.Rows = rows
		texts = append(texts, t)
	}
	return texts, vectors
}

// disturb adds uniform noise of ± sensitivityNoise times the root mean square.
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

// distance returns ‖y − x‖/‖x‖, 0 if both are zero.
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
