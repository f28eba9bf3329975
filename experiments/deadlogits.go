package experiments

import (
	"context"
	"fmt"
)

// noteDeadLogits says which logits a ReLU holds at 0 for every training review
// before the first step: they can never be learned.
func (s *session) noteDeadLogits(ctx context.Context) error {
	if slip, ok := s.plan.Set.Get("slip.relu_logits"); !ok || slip.Value != "true" || s.at.Epoch > 0 || s.hooks.Note == nil {
		return nil
	}
	alive := make([]bool, len(s.data.Classes))
	_, err := s.trainer.evaluate(ctx, s.trainer.data, func(*split) {
		z := s.trainer.eval.Logits()
		for i, v := range z.Data {
			alive[i%z.Cols] = alive[i%z.Cols] || v > 0
		}
	})
	if err != nil {
		return err
	}
	note := ""
	for c, a := range alive {
		if !a {
			note += " " + s.data.Classes[c]
		}
	}
	if note == "" {
		note = " none"
	}
	s.hooks.Note(fmt.Sprintf("dead logits at the start (seed %d):%s", s.plan.Run.Seed, note))
	return nil
}
