package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/bleu"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// LengthBin is a group of reviews of similar length.
type LengthBin struct {
	Reviews         int
	Shortest, Words int // words of the shortest review and of the median one
	Longest         int
	Right           int // reviews predicted right
}

// Accuracy returns the share of the bin's reviews that are predicted right, 0 … 1.
func (b LengthBin) Accuracy() float64 { return float64(b.Right) / float64(b.Reviews) }

// Range names the bin by its words: 3–7.
func (b LengthBin) Range() string {
	if b.Shortest == b.Longest {
		return strconv.Itoa(b.Shortest)
	}
	return fmt.Sprintf("%d–%d", b.Shortest, b.Longest)
}

// ByLength sorts the reviews with a known label into at most that many bins of equal size, by rising
// number of words. Reviews of the same length stay in one bin.
func ByLength(p *runs.Predictions, bins int) []LengthBin {
	var all []lengthened
	for _, r := range p.Rows {
		if r.Label >= 0 {
			all = append(all, lengthened{r.Words, r.Label == r.Predicted})
		}
	}
	return lengthBins(all, bins)
}

// lengthened is a review, or a sentence to be translated, and whether the model got
// it right.
type lengthened struct {
	words int
	right bool
}

// lengthBins sorts the items by length and splits them into bins.
func lengthBins(all []lengthened, bins int) []LengthBin {
	slices.SortFunc(all, func(a, b lengthened) int { return cmp.Compare(a.words, b.words) })
	var out []LengthBin
	stats.EqualParts(len(all), bins, func(i, j int) bool { return all[i].words == all[j].words }, func(from, to int) {
		b := LengthBin{Reviews: to - from, Shortest: all[from].words, Words: all[(from+to-1)/2].words, Longest: all[to-1].words}
		for _, r := range all[from:to] {
			if r.right {
				b.Right++
			}
		}
		out = append(out, b)
	})
	return out
}

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
