package training

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// noteDeadLogits notes, before the first step, on which share of the training reviews each logit is
// above zero, where a ReLU cuts it off. A logit that never is has dead weights: they get no gradient.
func (s *session) noteDeadLogits(ctx context.Context) error {
	if s.at.Epoch > 0 || s.at.Step > 0 || s.hooks.Note == nil || !models.RectifiesLogits(s.plan.Model) {
		return nil
	}
	above := make([]int, len(s.data.Classes))
	seen, err := s.learner.evaluate(ctx, s.data.Train, func(_ *ragged.Batch, n *models.Network) {
		z := n.Logits()
		for i, v := range z.Data {
			if v > 0 {
				above[i%z.Cols]++
			}
		}
	})
	if err != nil {
		return err
	}
	parts := make([]string, len(above))
	for c, n := range above {
		parts[c] = fmt.Sprintf("%s on %.1f %% of the reviews", s.data.Classes[c], 100*float64(n)/float64(seen.reviews))
		if n == 0 {
			parts[c] += " (dead)"
		}
	}
	s.hooks.Note(fmt.Sprintf("logits above zero at the start, seed %d: %s", s.plan.Run.Seed, strings.Join(parts, ", ")))
	return nil
}

// noteIdleOOV notes, before the first step, a setting for words without a vector that has no effect,
// because the data have no such words.
func (s *session) noteIdleOOV() {
	if s.at.Epoch > 0 || s.at.Step > 0 || !s.data.Table.Whole {
		return
	}
	for _, key := range []string{"oov", "slip.oov_masked"} {
		if set, ok := s.plan.Set.Get(key); ok && set.Changed() && s.plan.Asked(key) {
			s.note("%s=%s has no effect on these data: all their words have a vector", key, set.Value)
		}
	}
}
