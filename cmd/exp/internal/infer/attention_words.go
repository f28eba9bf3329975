package infer

import (
	"cmp"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
)

// WordTally is the attention to a word of the vocabulary over many reviews.
type WordTally struct {
	Word    string
	Known   bool    // it has a vector
	Count   int     // occurrences
	Ratio   float64 // mean of weight × choices: above 1 is more than an equal share
	Share   float64 // mean over all reviews of its share of the attention
	Classes []int   // [C] occurrences in the reviews of each label
}

// Class returns the label in whose reviews the word occurs most, and its share of
// the occurrences in labelled reviews; -1 without any.
func (w *WordTally) Class() (class int, share float64) {
	sum, most := 0, 0
	for c, n := range w.Classes {
		sum += n
		if n > w.Classes[most] {
			most = c
		}
	}
	if sum == 0 {
		return -1, 0
	}
	return most, float64(w.Classes[most]) / float64(sum)
}

// Tally sums the attention of each word of a corpus's vocabulary; its memory does not grow with the
// number of reviews.
type Tally struct {
	Reviews, Words int

	model   *Model
	corpus  *dataset.Corpus
	counts  []int     // [V]
	ratios  []float64 // [V] sums
	weights []float64 // [V] sums
	classes []int     // [V, C]
}

// NewTally returns an empty Tally for the readings of ReadSplit.
func (m *Model) NewTally(c *dataset.Corpus) *Tally {
	n := c.Vocab.Len()
	return &Tally{model: m, corpus: c, counts: make([]int, n), ratios: make([]float64, n), weights: make([]float64, n), classes: make([]int, n*len(c.Classes))}
}

// Add counts the words of a review.
func (t *Tally) Add(r *Reading) {
	t.Reviews++
	t.Words += len(r.Words)
	classes := len(t.corpus.Classes)
	for i, id := range r.Words {
		w := float64(r.Attended.Weights[i])
		t.counts[id]++
		t.weights[id] += w
		t.ratios[id] += float64(w * float64(r.Attended.Choices))
		if r.Label >= 0 {
			t.classes[int(id)*classes+r.Label]++
		}
	}
}

// List returns the words that occur at least minCount times, by falling ratio, then alphabetically.
func (t *Tally) List(minCount int) []WordTally {
	var out []WordTally
	classes := len(t.corpus.Classes)
	for id, n := range t.counts {
		if n == 0 || n < minCount {
			continue
		}
		word := t.corpus.Vocab.Word(int32(id))
		out = append(out, WordTally{
			Word: word, Known: t.model.row(word) != embedding.OOVRow, Count: n, Ratio: t.ratios[id] / float64(n),
			Share: t.weights[id] / float64(t.Reviews), Classes: t.classes[id*classes:][:classes],
		})
	}
	slices.SortFunc(out, func(a, b WordTally) int {
		return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), strings.Compare(a.Word, b.Word))
	})
	return out
}
