package report

import (
	"errors"
	"io/fs"
	"math"
	"strings"

	"imdbexp/internal/bleu"
	"imdbexp/runs"
)

// translationBins is how many bins of sentence lengths exact match is shown in.
const translationBins = 6

// decoded holds the scores of one decoding method on the test pairs, in percent.
type decoded struct {
	Exact float64 // translations equal to the reference, word for word
	BLEU  float64 // of the words without further tokenization
}

// Translated holds the scores of a run's translations.tsv.
type Translated struct {
	Greedy, Beam decoded
	Lengths      []LengthBin // of greedy decoding, by words of the source; Right are exact
}

// Translations scores a run's translations; there must be at least one.
func Translations(list []runs.Translation) Translated {
	var greedy, beam bleu.Corpus
	var sentences []lengthened
	var exact [2]float64
	for _, t := range list {
		reference := strings.Fields(t.Reference)
		greedy.Add(strings.Fields(t.Greedy), reference)
		beam.Add(strings.Fields(t.Beam), reference)
		sentences = append(sentences, lengthened{len(strings.Fields(t.Source)), t.Greedy == t.Reference})
		for i, right := range []bool{t.Greedy == t.Reference, t.Beam == t.Reference} {
			if right {
				exact[i]++
			}
		}
	}
	n := float64(len(list))
	return Translated{decoded{100 * exact[0] / n, greedy.Score().BLEU}, decoded{100 * exact[1] / n, beam.Score().BLEU}, lengthBins(sentences, translationBins)}
}

// At returns the exact match in the i-th bin, in percent. It is NaN for a missing bin, as in
// a truncated file.
func (t *Translated) At(i int) float64 {
	if i >= len(t.Lengths) {
		return math.NaN()
	}
	return 100 * t.Lengths[i].Accuracy()
}

// translated reads the translations of a finished run. It returns nil if there are none.
func translated(run *runs.Run) (*Translated, error) {
	if run.Status.State != runs.Finished {
		return nil, nil
	}
	list, err := run.Translations()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil, nil // of reviews, or test=never
	}
	if err != nil {
		return nil, err
	}
	t := Translations(list)
	return &t, nil
}
