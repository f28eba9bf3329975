package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
)

// Subject is a run's model with the reviews that the tests ask it about. It is not safe
// for concurrent use.
type Subject struct {
	Model   *infer.Model
	Reviews *infer.Split
	Texts   []scores.Text // the reviews with the predicted class
	P       []float64     // probability of that class
	Scores  []*scores.Score
	Asker   *scores.Asker
	Seed    uint64
	Label   string // of the run, for messages
	Peers   []Peer // other runs to compare with

	// Untrained opens the model with random weights from a seed. Close it.
	Untrained func(seed uint64) (*infer.Model, error)
	// Marks says for each word of each review whether annotators marked it as a reason for
	// the label. It may be nil.
	Marks func(ctx context.Context) ([][]bool, error)
	// Retrain prepares to train the run again, or says why that is not possible. It may be
	// nil.
	Retrain func(ctx context.Context) (t *Retraining, lacks string, err error)
	Heard   func(what string, done, of int) // reports progress; may be nil

	Complete scores.Completeness // of integrated gradients, once computed

	computed map[*scores.Score][][]float32
	within   map[*scores.Score]string // how exact its estimates are, in a sentence
}

// chunk is how many reviews are processed at once.
const chunk = 128

func (q *asked) subject(ctx context.Context) (*Subject, error) {
	s, err := NewSubject(ctx, q.model, q.drawn, q.o.chosen(), q.o.seed)
	if err != nil {
		return nil, err
	}
	s.Label, s.Peers = q.run.Label(), q.peers
	s.Marks = func(ctx context.Context) ([][]bool, error) {
		return q.model.Marked(ctx, q.folder, q.data(), q.drawn, folder.Options{})
	}
	s.Retrain = q.retrainable
	s.Untrained = func(seed uint64) (*infer.Model, error) {
		t, err := infer.ReadRun(q.run)
		if err != nil {
			return nil, err
		}
		return t.Untrained(q.pool, seed)
	}
	return s, nil
}

// NewSubject asks the model about the reviews, and keeps the scores that the model has.
func NewSubject(ctx context.Context, m *infer.Model, reviews *infer.Split, list []*scores.Score, seed uint64) (*Subject, error) {
	if reviews.Len() == 0 {
		return nil, errors.New("no reviews to ask about: with so few, no class gets one")
	}
	s := &Subject{Model: m, Reviews: reviews, Seed: seed, Asker: scores.New(m, seed), computed: map[*scores.Score][][]float32{}, within: map[*scores.Score]string{}}
	var err error
	if s.Texts, s.P, err = s.Asker.Answered(ctx, reviews.Texts); err != nil {
		return nil, infer.Named(err, reviews.Names)
	}
	for _, score := range list {
		if score.Lacks(m) == "" {
			s.Scores = append(s.Scores, score)
		}
	}
	return s, nil
}

// Close frees the Asker, not the model.
func (s *Subject) Close() { s.Asker.Close() }

// Compute returns a score of each word of each review. It computes each score once.
func (s *Subject) Compute(ctx context.Context, score *scores.Score) ([][]float32, error) {
	if known, ok := s.computed[score]; ok {
		return known, nil
	}
	s.Asker.Complete = scores.Completeness{}
	out := make([][]float32, 0, len(s.Texts))
	asked, within, size := 0, 0.0, 0.0
	for part := range slices.Chunk(s.Texts, chunk) {
		s.heard(score.Title, len(out))
		s.Asker.Estimate = nil
		list, err := s.Asker.Compute(ctx, score, part)
		if err != nil {
			return nil, infer.Named(err, s.Reviews.Names[len(out):])
		}
		out = append(out, list...)
		if e := s.Asker.Estimate; e != nil {
			asked += e.Asked
			for i, words := range e.Within {
				within, size = within+total(words), size+total(list[i])
			}
		}
	}
	if c := s.Asker.Complete; c.Texts > 0 {
		s.Complete = c
	}
	if asked > 0 {
		s.within[score] = fmt.Sprintf("%s: estimated from %s random texts, %s on average; their 95 %% intervals are ± %.0f %% of the scores.",
			score.Title, format.Thousands(asked), format.Thousands(asked/len(s.Texts))+" a review", 100*within/size)
	}
	s.computed[score] = out
	return out, nil
}

// each calls f with every score of the subject, computed.
func (s *Subject) each(ctx context.Context, f func(score *scores.Score, list [][]float32) error) error {
	for _, score := range s.Scores {
		list, err := s.Compute(ctx, score)
		if err == nil {
			err = f(score, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// total returns Σ |x|.
func total(list []float32) (sum float64) {
	for _, x := range list {
		sum += math.Abs(float64(x))
	}
	return sum
}

// eachBatch calls f with the reviews of each batch.
func (s *Subject) eachBatch(ctx context.Context, what string, f func(group []int, texts []infer.Encoded) error) error {
	done := 0
	err := s.Asker.EachBatch(ctx, s.Texts, func(group []int, texts []infer.Encoded) error {
		if err := f(group, texts); err != nil {
			return err
		}
		done += len(group)
		s.heard(what, done)
		return nil
	})
	return infer.Named(err, s.Reviews.Names)
}

func (s *Subject) heard(what string, done int) {
	if s.Heard != nil {
		s.Heard(what, done, len(s.Texts))
	}
}
