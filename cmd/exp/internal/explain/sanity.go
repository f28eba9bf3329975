package explain

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/report/stats"
)

var sanity = Test{
	Name: "sanity", Title: "Sanity", Source: "Adebayo et al. 2018, section 3",
	Method:  fmt.Sprintf("Measures the agreement (τ and overlap) of a score with the score of the same model with random weights and the same word vectors. It should be near chance. Means over %d draws of the weights and up to %d reviews, with an interval over both.", untrainedDraws, untrainedReviews),
	Limits:  "A score that passes is not yet an explanation: the question only finds scores that cannot be one. The row random shows the numbers of a score without information.",
	Version: 2,
	ranges:  map[string]stats.Interval{untrainedTau: correlation},
	lacks:   countsNgrams,
	run:     runSanity,
}

const (
	untrainedDraws   = 10
	untrainedReviews = 100
	untrainedTau     = "τ with random weights"
)

// countsNgrams says why a model has no random weights and no vectors.
func countsNgrams(m *infer.Model) string {
	if m.Scorer() == nil {
		return ""
	}
	return "the model counts n-grams; the test needs a network with word vectors"
}

// runSanity compares the scores of the model with its scores after several draws of random weights.
// The interval covers other weights and other reviews.
func runSanity(ctx context.Context, s *Subject) (*Result, error) {
	var places []int // of the reviews, evenly spaced
	var texts []scores.Text
	for i := 0; i < len(s.Texts); i += (len(s.Texts) + untrainedReviews - 1) / untrainedReviews {
		places, texts = append(places, i), append(texts, s.Texts[i])
	}
	found := map[*scores.Score]*[2]Result{} // τ and overlap of each draw
	for _, score := range s.Scores {
		found[score] = &[2]Result{}
	}
	for draw := range untrainedDraws {
		s.heard(fmt.Sprintf("random weights %d of %d", draw+1, untrainedDraws), 0)
		if err := s.untrained(ctx, draw, places, texts, found); err != nil {
			return nil, err
		}
	}
	r := &Result{}
	for _, score := range s.Scores {
		for k, name := range []string{untrainedTau, overlapName} {
			if draws := found[score][k].Values; len(draws) > 1 {
				r.overSeeds(name, score.Title, "", draws)
			}
		}
	}
	return r, nil
}

// untrained adds the numbers of one draw of the weights. Each run has its own draws.
func (s *Subject) untrained(ctx context.Context, draw int, places []int, texts []scores.Text, found map[*scores.Score]*[2]Result) error {
	t, err := infer.ReadRun(s.run)
	if err != nil {
		return err
	}
	seed := simd.Key(s.o.seed, fmt.Sprintf("untrained/%s/%d", s.run.Label(), draw))
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
