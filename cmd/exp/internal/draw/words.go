package draw

import (
	"errors"
	"fmt"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// vocabulary is a run's model, used for its words and their vectors.
type vocabulary struct {
	*infer.Model
	cls bool // [CLS] comes before the words
}

func openVocabulary(run *runs.Run, pool *ops.Pool) (*vocabulary, error) {
	m, err := infer.Open(run, pool)
	if err != nil {
		return nil, err
	}
	if m.Scorer() != nil {
		return nil, errors.Join(fmt.Errorf("%s: %sit has no word vectors to draw", run.Label(), infer.NoGraph), m.Close())
	}
	return &vocabulary{m, run.Config.Setting("pool") == "cls"}, nil
}

// seen is a text as a run's model sees it.
type seen struct {
	words          []string  // [n] with [CLS], where the model puts it first
	vectors        []float32 // [n, d]
	known, unknown int       // words with and without a vector
}

// clsWeight is the name of the vector of [CLS] among a run's weights.
const clsWeight = "cls"

// see splits a text into words and looks up their vectors.
func (v *vocabulary) see(text string) (seen, error) {
	found := v.Encode(text)
	var s seen
	switch {
	case infer.Wordless(found.Words):
		return s, errors.New("has no words to draw")
	case len(found.Words) > maxPositions:
		return s, fmt.Errorf("has %d words; at most %d can be drawn", len(found.Words), maxPositions)
	}
	if v.cls {
		cls, err := v.Weight(clsWeight)
		if err != nil {
			return s, err
		}
		s.words, s.vectors = append(s.words, "[CLS]"), append(s.vectors, cls...)
	}
	for i, w := range found.Words {
		s.words = append(s.words, w.Word)
		if found.Known[i] {
			s.known++
		} else {
			s.unknown++
		}
	}
	for _, row := range found.Rows {
		s.vectors = append(s.vectors, v.Vector(row)...)
	}
	return s, nil
}
