package infer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/models/counts"
)

// View is the prediction and the attention of a model for a text.
type View struct {
	Encoded                       // the n words that the model read
	Batch     *Batch              // of the text alone
	Class     int                 // the most probable
	P         []float32           // [C] probability of each class
	Weights   []float32           // [n] of Attended
	Attended  *Attended           // nil for a model without attention
	Left      []LeftWord          // words of the text that the model does not read, in their order
	Ratio     []float64           // [n] weight × choices, relative to an equal share; a signed score keeps its sign
	Scored    bool                // the weights are another score (Show), and
	Signed    bool                // a signed one
	Within    []float32           // [n] half the 95 % intervals of an estimated score; nil for others
	Counts    bool                // the model counts n-grams; its words have no vectors
	Explained *counts.Explanation // of a bag-of-n-grams model; nil for others. Ratio then belongs to the signed terms of each word's n-grams
	Mean      float64             // mean entropy of all layers and heads in nats, as in the run's predictions; NaN without
	slipped   bool                // slip.rank_words
}

// Wordless reports whether the text had no words, so that Words is one empty word.
func (v *View) Wordless() bool { return Wordless(v.Words) }

// LeftWord is a word that a model does not read: it is masked because it has no vector (oov=masked),
// or is after the first data.max_len words.
type LeftWord struct {
	token.Token
	Masked bool
}

// View asks the model about a text, with the attention that o chooses. A text without words counts
// as one word without a vector.
func (m *Model) View(text string, o Look) (*View, error) {
	e := m.Encode(text)
	b, err := m.Ask(e)
	if err != nil {
		return nil, err
	}
	v := &View{Encoded: e, Batch: b, Class: b.Class(0), P: slices.Clone(b.P(0)), Mean: float64(b.Entropy(0)), slipped: m.settings.RankWords, Counts: m.scorer != nil}
	if v.Attended, err = b.Look(0, e, o); err != nil {
		return nil, err
	}
	if a := v.Attended; a != nil {
		v.Weights = a.Weights
		for _, w := range a.Weights {
			v.Ratio = append(v.Ratio, float64(w)*float64(a.Choices))
		}
	}
	if v.Explained, err = m.Explain(e, v.Class); err != nil {
		return nil, err
	}
	if v.Explained != nil {
		v.Ratio = Ratios(v.Explained)
	}
	next := 0
	m.tokenizer.Split(text, func(word []byte, start, end int) {
		for next < len(e.Words) && strings.Contains(e.Words[next].Word, " ") { // an n-gram of words before
			next++
		}
		if next < len(e.Words) && e.Words[next].Start == start && e.Words[next].Word == string(word) {
			next++
			return
		}
		masked := m.table.Policy == embedding.OOVMasked && m.row(string(word)) == embedding.OOVRow
		v.Left = append(v.Left, LeftWord{token.Token{Word: string(word), Start: start, End: end}, masked})
	})
	return v, nil
}

// Show replaces the attention by another score of each word [n]; what describes it. A signed score
// is positive for words that support the predicted class.
func (v *View) Show(score []float32, what string, signed bool) {
	n, total := len(score), 0.0
	for _, s := range score {
		total += math.Abs(float64(s))
	}
	share := make([]float64, n)
	v.Weights, v.Ratio, v.Signed, v.Mean = score, make([]float64, n), signed, math.NaN()
	v.Scored, v.Explained = true, nil
	for i, s := range score {
		if total > 0 {
			share[i] = math.Abs(float64(s)) / total
			v.Ratio[i] = float64(s) / total * float64(n)
		}
	}
	v.Attended = &Attended{Weights: score, Choices: n, Entropy: Entropy(share), What: what}
}

// Top returns the indices of the n words with the largest weights, of a signed score by their size,
// largest first, then in their order, without words of weight 0; nil for a model without attention.
func (v *View) Top(n int) []int {
	order := v.falling()
	order = slices.DeleteFunc(order, func(i int) bool { return v.Weights[i] == 0 })
	return order[:min(n, len(order))]
}

// falling returns the indices of all words by falling weight.
func (v *View) falling() []int {
	if v.Signed {
		return Falling(Size(v.Weights))
	}
	return Falling(v.Weights)
}

// Falling returns the indices of numbers, largest first; equal numbers keep their order.
func Falling[T cmp.Ordered](list []T) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b], list[a]) })
	return order
}

// Size returns |x| of each number.
func Size[T ~float32 | ~float64](list []T) []T {
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = max(x, -x)
	}
	return out
}

// Slipped returns the words that the original showed instead of the n words with the largest weights
// (slip.rank_words): it sorted twice, and so took the ranks of the first n words for positions. It is
// nil for a run without the slip.
func (v *View) Slipped(n int) []int {
	if !v.slipped {
		return nil
	}
	ranks := make([]int, len(v.Weights))
	for rank, i := range v.falling() {
		ranks[i] = rank
	}
	return ranks[:min(n, len(ranks))]
}

// strongest is the ratio with the full shade.
const strongest = 32

// Doublings are the ratios in legends.
var Doublings = []int{2, 4, 8, 16, strongest}

// Ratios returns the share of each word in all terms of the n-grams of a text, relative to an equal
// share; it is negative for words against the class that is explained.
func Ratios(e *counts.Explanation) []float64 {
	all, out := 0.0, make([]float64, len(e.Words))
	for _, w := range e.Words {
		all += math.Abs(w)
	}
	for i, w := range e.Words {
		if all > 0 {
			out[i] = w / all * float64(len(e.Words))
		}
	}
	return out
}

// Strength returns the shade of a weight, from 0 to 1, by its ratio to an equal share: 0 up to a
// ratio of 1, then the same step for each doubling, up to 32. It does not depend on the text, so
// the shades of texts and models are comparable.
func Strength(ratio float64) float64 {
	if !(ratio > 1) {
		return 0
	}
	return min(1, math.Log2(ratio)/math.Log2(strongest))
}

// Share returns an entropy as a share of the maximum, log n; NaN for a single position.
func Share(h float64, n int) float64 {
	if n < 2 {
		return math.NaN()
	}
	return h / math.Log(float64(n))
}
