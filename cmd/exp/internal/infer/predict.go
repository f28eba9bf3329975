package infer

import (
	"cmp"
	"slices"

	"imdbexp/dataset/token"
)

// Prediction is the prediction of a model for one text.
type Prediction struct {
	Class   int           // the most probable
	P       []float32     // [C] probability of each class
	Words   []token.Token // [n] the words that the model read, with their positions in the text
	Known   []bool        // [n] whether the model has a vector for the word
	Weights []float32     // [n] the attention that each word receives, adding up to one; nil for a model without
	Entropy float32       // of the attention, in nats, the mean over heads; 0 without

	ranks bool // slip.rank_words
}

// Wordless reports whether the text had no words, so that Words is one empty word.
func (p *Prediction) Wordless() bool { return Wordless(p.Words) }

// Predict asks the model about a text. A text without words counts as one word
// without a vector.
func (m *Model) Predict(text string) (*Prediction, error) {
	e := m.Encode(text)
	b, err := m.Ask(e)
	if err != nil {
		return nil, err
	}
	return m.Prediction(b, 0, e)
}

// Prediction copies the prediction of a batch for its text i, which was encoded as e.
func (m *Model) Prediction(b *Batch, i int, e Encoded) (*Prediction, error) {
	p := m.unweighed(b, i, e)
	var err error
	p.Weights, err = b.Attention(i)
	return p, err
}

// unweighed is Prediction without Weights, which take time in self-attention.
func (m *Model) unweighed(b *Batch, i int, e Encoded) *Prediction {
	p := &Prediction{Class: b.Class(i), P: slices.Clone(b.P(i)), Words: e.Words, Known: e.Known, ranks: m.settings.RankWords}
	if h := b.Entropy(i); h == h { // not NaN
		p.Entropy = h
	}
	return p
}

// Top returns the indices of the n words with the largest attention, largest first, then in their
// order, without words of weight 0; nil for a model without attention. With slip.rank_words it repeats the mistake of the
// original, which sorted twice: it returns the ranks of the first n words as if they were
// positions.
func (p *Prediction) Top(n int) []int {
	if p.Weights == nil {
		return nil
	}
	order := make([]int, len(p.Weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Weights[b], p.Weights[a]) })
	if p.ranks {
		ranks := make([]int, len(order))
		for rank, i := range order {
			ranks[i] = rank
		}
		order = ranks
	} else {
		order = slices.DeleteFunc(order, func(i int) bool { return p.Weights[i] == 0 })
	}
	return order[:min(n, len(order))]
}
