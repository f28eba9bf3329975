package experiments

import (
	"context"

	"imdbexp/models"
	"imdbexp/runs"
)

// translate decodes the test pairs with the weights as they are. Unlike the loss,
// for which the decoder reads the right words, each word follows from those that the
// model itself has written.
func (s *session) translate(ctx context.Context, beam int, alpha float64) ([]models.Translation, error) {
	t, test := s.trainer, s.data.Test
	if t.decoder == nil {
		var err error
		if t.decoder, err = models.NewDecoder(s.plan.spec(s.data, t.weights, s.Pool)); err != nil {
			return nil, err
		}
	}
	sources := make([][]int32, test.Len())
	for i := range sources {
		sources[i] = test.Words(i)
	}
	return t.decoder.Translate(ctx, sources, models.DecodeOptions{Beam: beam, Alpha: alpha})
}

// decode adds to the metrics of an epoch what greedy decoding of the test pairs
// gives; for classifiers there is nothing to decode.
func (s *session) decode(ctx context.Context, m *runs.Metrics) ([]models.Translation, error) {
	if !s.plan.Translates() {
		return nil, nil
	}
	greedy, err := s.translate(ctx, 1, 0)
	if err != nil {
		return nil, err
	}
	exact, score, err := s.data.score(greedy)
	m.TestExact, m.TestBLEU = number(exact), number(score.BLEU)
	return greedy, err
}

// finishPairs translates the test pairs with the weights that count, keeps what it
// made of them, and puts what came of it into m.
func (s *session) finishPairs(ctx context.Context, test *split, m *runs.Metrics) error {
	tested, err := s.trainer.evaluate(ctx, test, nil)
	if err != nil {
		return err
	}
	tested.test(m)
	greedy, err := s.decode(ctx, m)
	if err != nil {
		return err
	}
	shared := s.plan.Model.(models.Translator).Shared()
	beam, err := s.translate(ctx, shared.Beam, shared.Alpha)
	if err != nil {
		return err
	}
	list, err := s.data.translations(greedy, beam)
	if err != nil {
		return err
	}
	return s.writer.Translated(list)
}
