package infer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/internal/ops"
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
	Masked    int                 // of these, words without a vector (oov=masked)
	Ratio     []float64           // [n] weight × choices, relative to an equal share; a signed score keeps its sign
	Scored    bool                // the weights are another score (Show)
	Signed    bool                // this score is signed
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

// View predicts a text, with the attention that o chooses. A text without words counts
// as one word without a vector.
func (m *Model) View(text string, o Selection) (*View, error) {
	e := m.Encode(text)
	b, err := m.Ask(e)
	if err != nil {
		return nil, err
	}
	v := &View{Encoded: e, Batch: b, Class: b.Class(0), P: slices.Clone(b.P(0)), Mean: float64(b.Entropy(0)), slipped: m.settings.RankWords, Counts: m.scorer != nil}
	if v.Attended, err = b.Select(0, e, o); err != nil {
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
		v.Ratio, _ = ratios(v.Explained.Words)
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
		if masked {
			v.Masked++
		}
		v.Left = append(v.Left, LeftWord{token.Token{Word: string(word), Start: start, End: end}, masked})
	})
	return v, nil
}

// Show replaces the attention with another score of each word [n]; what describes it. A signed score
// is positive for words that support the predicted class.
func (v *View) Show(score []float32, what string, signed bool) {
	ratio, total := ratios(score)
	v.Weights, v.Ratio, v.Signed, v.Mean = score, ratio, signed, math.NaN()
	v.Scored, v.Explained = true, nil
	n, share := len(score), make([]float64, len(score))
	for i, s := range score {
		if total > 0 {
			share[i] = math.Abs(float64(s)) / total
		}
	}
	v.Attended = &Attended{Weights: score, Choices: n, Entropy: Entropy(share), What: what}
}

// Top returns the indices of the n words with the largest weights (of a signed score, in absolute
// value), largest first, then in their order, without words of weight 0; nil for a model without attention.
func (v *View) Top(n int) []int {
	order := v.falling()
	order = slices.DeleteFunc(order, func(i int) bool { return v.Weights[i] == 0 })
	return order[:min(n, len(order))]
}

// falling returns the indices of all words by falling weight.
func (v *View) falling() []int {
	if v.Signed {
		return Argsort(Abs(v.Weights))
	}
	return Argsort(v.Weights)
}

// Argsort returns the indices of numbers, largest first; equal numbers keep their order.
func Argsort[T cmp.Ordered](list []T) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b], list[a]) })
	return order
}

// Abs returns |x| of each number.
func Abs[T ~float32 | ~float64](list []T) []T {
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

// ratios returns the share of each score in all of them, relative to an equal share, which keeps the
// sign, and Σ |score|.
func ratios[T float32 | float64](scores []T) (out []float64, total float64) {
	out = make([]float64, len(scores))
	for _, s := range scores {
		total += math.Abs(float64(s))
	}
	for i, s := range scores {
		if total > 0 {
			out[i] = float64(s) / total * float64(len(scores))
		}
	}
	return out, total
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

// WordTally is the attention to a word of the vocabulary over many reviews.
type WordTally struct {
	Word    string  `json:"word"`
	Known   bool    `json:"vector"` // it has a vector
	Count   int     `json:"count"`  // occurrences
	Ratio   float64 `json:"ratio"`  // mean of weight × choices: above 1 is more than an equal share
	Share   float64 `json:"share"`  // mean over all reviews of its share of the attention
	Classes []int   `json:"labels"` // [C] occurrences in the reviews of each label
}

// Class returns the label in whose reviews the word occurs most, and its share of
// the occurrences in labelled reviews; -1 without any.
func (w *WordTally) Class() (class int, share float64) {
	sum, best := 0, 0
	for c, n := range w.Classes {
		sum += n
		if n > w.Classes[best] {
			best = c
		}
	}
	if sum == 0 {
		return -1, 0
	}
	return best, float64(w.Classes[best]) / float64(sum)
}

// Tally sums the attention of each word of a corpus's vocabulary; its memory does not grow with the
// number of reviews.
type Tally struct {
	Reviews, Words int

	model  *Model
	corpus *dataset.Corpus
	sums   []WordTally // [V] with sums in place of means
}

// NewTally returns an empty Tally for the readings of ReadSplit.
func (m *Model) NewTally(c *dataset.Corpus) *Tally {
	t := &Tally{model: m, corpus: c, sums: make([]WordTally, len(c.Vocab.Words))}
	for id := range t.sums {
		t.sums[id].Classes = make([]int, len(c.Classes))
	}
	return t
}

// Add counts the words of a review.
func (t *Tally) Add(r *Reading) {
	t.Reviews++
	t.Words += len(r.Words)
	for i, id := range r.Words {
		w, sum := float64(r.Attended.Weights[i]), &t.sums[id]
		sum.Count++
		sum.Share += w
		sum.Ratio += float64(w * float64(r.Attended.Choices))
		if r.Label >= 0 {
			sum.Classes[r.Label]++
		}
	}
}

// List returns the words that occur at least minCount times, by falling ratio, then alphabetically.
func (t *Tally) List(minCount int) []WordTally {
	var out []WordTally
	for id, w := range t.sums {
		if w.Count < max(1, minCount) {
			continue
		}
		w.Word = t.corpus.Vocab.Words[id]
		w.Known = t.model.row(w.Word) != embedding.OOVRow
		w.Ratio, w.Share = w.Ratio/float64(w.Count), w.Share/float64(t.Reviews)
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b WordTally) int {
		return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), strings.Compare(a.Word, b.Word))
	})
	return out
}

// Head is one head of a layer of self-attention, both counted from 1. Layer 0 is attention with one
// weight for each word.
type Head struct{ Layer, Head int }

// ScoringHeads returns the heads that score words, by layer and head, and last the attention with
// one weight for each word, with their ops. It returns a SelectionError for a model without.
func (m *Model) ScoringHeads() (heads []Head, nodes []*ops.Node, err error) {
	out := m.network.Output()
	if n := m.Members(); n > 1 {
		return nil, nil, SelectionErrorf("each of its %d networks has its own scores; use a run with members=1", n)
	}
	for l, n := range out.Layers {
		for h := range n.Cols() {
			heads, nodes = append(heads, Head{l + 1, h + 1}), append(nodes, n)
		}
	}
	if out.Attention != nil && out.Attention.Weighs() {
		heads, nodes = append(heads, Head{}), append(nodes, out.Attention)
	}
	if heads == nil && out.Attention != nil {
		return nil, nil, noScores("scores")
	}
	if heads == nil {
		return nil, nil, SelectionErrorf("the model does not compare words, so it has no scores")
	}
	return heads, nodes, nil
}

// ReadScores goes through a split as ReadSplit does. It calls f with the numbers of reviews done
// and of all reviews, and with the scores of the ScoringHeads for each review, which are valid
// until f returns, and safe for concurrent use. Queries and keys are the network's; the scores are
// computed from them in float64.
func (m *Model) ReadScores(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, f func(done, of int, weighing func(head int) ops.Weighing) error) error {
	heads, nodes, err := m.ScoringHeads()
	if err != nil {
		return err
	}
	split := m.split(c, part, limit)
	var weigh []func(review, head int) ops.Weighing // one for each head
	var batch *Batch                                // of weigh
	done, of := 0, m.evaluated(split)
	for group := range m.groups(split, of, readings) {
		err := m.ask(ctx, split, group, func(_ int, b *Batch, k int) error {
			if b != batch {
				exact := ops.NewMixed()
				weigh, batch = weigh[:0], b
				for _, n := range nodes {
					w, _, err := exact.Weigher(n)
					if err != nil {
						return err
					}
					weigh = append(weigh, w)
				}
			}
			done++
			return f(done, of, func(h int) ops.Weighing { return weigh[h](b.place[k], max(heads[h].Head-1, 0)) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}
