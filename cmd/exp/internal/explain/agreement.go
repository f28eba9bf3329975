package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/report/stats"
)

var agreement = Test{
	Name: "agreement", Title: "Agreement", Source: "Jain and Wallace 2019, section 4.1; Kendall 1945",
	Method:  fmt.Sprintf("Sorts the words of each review by attention and by the size of another score, and compares the two orders: Kendall's τ_b over all words (1: the same order, 0: unrelated), the share of reviews whose τ differs from 0 significantly (p < 0.05), and how many of the first %d words they share (top-%d overlap).", topWords, topWords),
	Limits:  "If two scores differ, this does not say which of them is right: scores of one kind also differ among themselves. In long reviews most words have almost no weight, and τ includes their order; the overlap does not.",
	Version: 2,
	ranges:  map[string]stats.Interval{"τ": correlation, "τ by part": correlation, "τ above attention's": {Low: -2, High: 2}},
	lacks:   attends,
	run:     runAgreement,
}

const topWords = 10

var overlapName = fmt.Sprintf("top-%d overlap", topWords)

func attends(m *infer.Model) string { return scores.Named(scores.Attention).Lacks(m) }

func runAgreement(ctx context.Context, s *Subject) (*Result, error) {
	base, err := s.Compute(ctx, scores.Named(scores.Attention))
	if err != nil {
		return nil, err
	}
	r, taus := &Result{}, map[string][]float64{}
	err = s.each(ctx, func(other *scores.Score, list [][]float32) error {
		if other.Name == scores.Attention {
			return nil
		}
		tau, overlap, err := s.agree(r, other.Title, base, list)
		if err == nil {
			taus[other.Name] = tau
			s.byClass(r, "τ by part", other.Title, tau)
			s.byClass(r, overlapName+" by part", other.Title, overlap)
		}
		return err
	})
	if err == nil && taus[scores.Gradient] != nil && taus[scores.LeaveOut] != nil {
		err = s.others(ctx, r, taus)
	}
	if err != nil {
		return nil, err
	}
	if c := s.complete; c.Texts > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Integrated gradients: %.0f points per review on average; their sums miss the differences of margins by %.2g %% on average, by %.2g at most.",
			float64(c.Steps)/float64(c.Texts), 100*c.Share(), c.Worst))
	}
	return r, nil
}

// agree adds the agreement of two scores, and returns τ and the overlap of each review.
func (s *Subject) agree(r *Result, of string, a, b [][]float32) (tau, overlap []float64, err error) {
	tau, p, overlap, err := s.compareOrders(a, b)
	if err != nil {
		return nil, nil, err
	}
	significant := nans(len(p))
	for i, q := range p {
		if tau[i] == tau[i] {
			significant[i] = truth(q < 0.05)
		}
	}
	r.meanOf("τ", of, "", tau)
	r.shareOf("significant", of, "", significant)
	r.meanOf(overlapName, of, "", overlap)
	return tau, overlap, nil
}

// others adds how gradients and leave-one-out agree with each other, and by how much more
// than attention agrees with either, as in Jain and Wallace 2019.
func (s *Subject) others(ctx context.Context, r *Result, taus map[string][]float64) error {
	gradient, leaveOut := scores.Named(scores.Gradient), scores.Named(scores.LeaveOut)
	first, err1 := s.Compute(ctx, gradient)
	second, err2 := s.Compute(ctx, leaveOut)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	both := gradient.Title + " with " + leaveOut.Title
	tau, _, err := s.agree(r, both, first, second)
	if err != nil {
		return err
	}
	for _, score := range []*scores.Score{gradient, leaveOut} {
		above := make([]float64, len(tau))
		for k := range above {
			above[k] = tau[k] - taus[score.Name][k]
		}
		r.meanOf("τ above attention's", both, "with "+score.Title, above)
	}
	return nil
}

// compareOrders compares two scores of the words of each review by their size. It returns
// τ_b and its p, NaN and 1 if all words of a review have the same number, and the share of
// the first words that both have.
func (s *Subject) compareOrders(a, b [][]float32) (tau, p, overlap []float64, err error) {
	n := len(a)
	tau, p, overlap = make([]float64, n), make([]float64, n), make([]float64, n)
	err = s.Model.Pool().For(n, func(i int) {
		x, y := infer.Abs(a[i]), infer.Abs(b[i])
		var err error
		if tau[i], p[i], err = stats.KendallB(x, y); err != nil {
			tau[i], p[i] = math.NaN(), 1
		}
		overlap[i] = shared(infer.Argsort(x), infer.Argsort(y), topWords)
	})
	return tau, p, overlap, err
}

// shared returns the share of the first k of one list that are among the first k of
// another.
func shared(x, y []int, k int) float64 {
	k = min(k, len(x))
	hits := 0
	for _, i := range y[:k] {
		hits += int(truth(slices.Contains(x[:k], i)))
	}
	return float64(hits) / float64(k)
}

var sanity = Test{
	Name: "sanity", Title: "Sanity", Source: "Adebayo et al. 2018, section 3",
	Method:  fmt.Sprintf("Measures the agreement (τ and overlap) of a score with the score of the same model with random weights and the same word vectors. It should be near chance. Means over %d draws of the weights and up to %d reviews, with an interval over both.", untrainedDraws, untrainedReviews),
	Limits:  "A score that passes is not yet an explanation: the test only finds scores that cannot be one. The row random shows the numbers of a score without information.",
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

// countsNgrams returns why a model has no random weights and no vectors.
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
