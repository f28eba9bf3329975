package battery

import (
	"context"
	"errors"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
)

// Subject is a run's model with the reviews that tests ask it about, and what they all
// need to know of these. One goroutine may use it.
type Subject struct {
	Model   *infer.Model
	Reviews *infer.Split
	Texts   []scores.Text // the reviews with the predicted class
	P       []float64     // the probability of that class
	Scores  []*scores.Score
	Asker   *scores.Asker
	Seed    uint64
	Label   string                                        // of the run, for messages
	Again   func(untrained *uint64) (*infer.Model, error) // the model once more, or with weights drawn by a seed; close it
	Marks   func(ctx context.Context) ([][]bool, error)   // of each word of each review whether it is among the reasons that somebody has marked; may be nil
	Peers   []Peer                                        // other runs that it is held against
	// Retrain readies to train the run anew, or says why that has no meaning; may be nil.
	Retrain func(ctx context.Context) (t *Retraining, lacks string, err error)
	Heard   func(what string, done, of int) // of progress; may be nil

	Complete scores.Completeness // of the integrated gradients, where Of has given them

	memo map[*scores.Score][][]float32
}

// NewSubject asks the model about the reviews. wanted are scores, of which those stay
// that the model has.
func NewSubject(ctx context.Context, m *infer.Model, reviews *infer.Split, wanted []*scores.Score, seed uint64) (*Subject, error) {
	if reviews.Len() == 0 {
		return nil, errors.New("no reviews to ask about: of so few no class gets one")
	}
	s := &Subject{Model: m, Reviews: reviews, Seed: seed, Asker: scores.New(m, scores.Options{Seed: seed}), memo: map[*scores.Score][][]float32{}}
	s.Texts, s.P = make([]scores.Text, reviews.Len()), make([]float64, reviews.Len())
	err := m.Each(ctx, reviews.Texts, func(i int, b *infer.Batch, k int) error {
		s.Texts[i] = scores.Text{Encoded: reviews.Texts[i], Class: b.Class(k), Number: i}
		s.P[i] = float64(b.P(k)[s.Texts[i].Class])
		return nil
	})
	if err != nil {
		return nil, infer.Named(err, reviews.Names)
	}
	for _, w := range wanted {
		if w.Lacks(m) == "" {
			s.Scores = append(s.Scores, w)
		}
	}
	return s, nil
}

// Close frees what asks about scores, not the model.
func (s *Subject) Close() error { return s.Asker.Close() }

// Of returns a score of each word of each review, computed once; of the two that one
// run with gradients gives both.
func (s *Subject) Of(ctx context.Context, score *scores.Score) ([][]float32, error) {
	if known, ok := s.memo[score]; ok {
		return known, nil
	}
	if score.Name == scores.Gradient || score.Name == scores.Norm {
		if err := s.slopes(ctx); err != nil {
			return nil, err
		}
		return s.memo[score], nil
	}
	s.Asker.Complete = scores.Completeness{}
	out := make([][]float32, 0, len(s.Texts))
	for part := range slices.Chunk(s.Texts, chunk) {
		s.heard(score.Title, len(out))
		list, err := s.Asker.Of(ctx, score, part)
		if err != nil {
			return nil, infer.Named(err, s.Reviews.Names[len(out):])
		}
		out = append(out, list...)
	}
	if c := s.Asker.Complete; c.Texts > 0 {
		s.Complete = c
	}
	s.memo[score] = out
	return out, nil
}

// chunk is how many reviews are worked on at once.
const chunk = 128

func (s *Subject) heard(what string, done int) {
	if s.Heard != nil {
		s.Heard(what, done, len(s.Texts))
	}
}

// falling returns the places of numbers, largest first, the earlier of equals first.
func falling(list []float32) []int { return scores.Falling(list) }

// slopes computes the scores that come from one run with gradients.
func (s *Subject) slopes(ctx context.Context) error {
	var times, norms [][]float32
	for part := range slices.Chunk(s.Texts, chunk) {
		s.heard("gradients", len(times))
		t, n, err := s.Asker.Slopes(ctx, part)
		if err != nil {
			return infer.Named(err, s.Reviews.Names[len(times):])
		}
		times, norms = append(times, t...), append(norms, n...)
	}
	for _, score := range scores.All() {
		switch score.Name {
		case scores.Gradient:
			s.memo[score] = times
		case scores.Norm:
			s.memo[score] = norms
		}
	}
	return nil
}
