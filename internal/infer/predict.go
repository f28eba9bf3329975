package infer

import (
	"cmp"
	"slices"

	"imdbexp/dataset/token"
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Prediction is what a model says about one text.
type Prediction struct {
	Class   int           // the most probable
	P       []float32     // [C] probability of each class
	Words   []token.Token // [n] the words that the model saw, with their place in the text
	Known   []bool        // [n] whether the model has a vector for the word
	Weights []float32     // [n] attention, adding up to one; nil for a model without. Of self-attention what each word receives
	Entropy float32       // of the attention, in nats, the mean over heads; 0 without

	ranks bool // slip.rank_words
}

// Predict asks the model about a text. A text without words counts as one word
// without a vector.
func (m *Model) Predict(text string) (*Prediction, error) {
	rows, words := m.table.Encode(m.tokenizer, text, m.settings.MaxLen)
	m.batch.IDs, m.batch.Offsets[1] = rows, len(rows)
	in := models.Inputs{Table: m.table.Rows}
	if m.network.NeedsMeans() {
		ops.MeanRow(m.mean, m.gather(rows))
		in.Means = m.mean
	}
	if err := m.network.Run(&m.batch, in, 0); err != nil {
		return nil, err
	}
	p := &Prediction{ranks: m.settings.RankWords, P: slices.Clone(m.network.Scores().Row(0)), Words: words, Known: m.known(words)}
	for c, v := range p.P {
		if v > p.P[p.Class] {
			p.Class = c
		}
	}
	if a := m.network.Attention(); a != nil {
		p.Weights = slices.Clone(a)
	} else if m.network.Heads() != nil {
		var err error
		if p.Weights, err = m.received(len(rows)); err != nil {
			return nil, err
		}
	}
	if h := m.network.Entropies(); h != nil {
		p.Entropy = h[0]
	}
	return p, nil
}

// received returns how much each of n words is looked at in the last layer of
// self-attention, on average over its heads: by [CLS], where there is one, else
// by all words. It adds up to one over the words.
func (m *Model) received(n int) ([]float32, error) {
	layers := m.network.Heads()
	last, seen := len(layers)-1, m.network.HeadWords()[1]
	front, queries := seen-n, seen // [CLS] stands in front
	if front > 0 {
		queries = 1
	}
	sum, row := make([]float64, n), make([]float32, seen)
	for h := range layers[last].Cols {
		for i := range queries {
			if err := m.network.AttentionRow(row, last, h, 0, i); err != nil {
				return nil, err
			}
			for j, w := range row[front:] {
				sum[j] += float64(w)
			}
		}
	}
	total := 0.0
	for _, s := range sum {
		total += s
	}
	out := make([]float32, n)
	for j, s := range sum {
		out[j] = float32(s / total)
	}
	return out, nil
}

// Top returns the indices of the n words with the largest attention, largest
// first, the earlier of equals first; nil for a model without attention. With
// slip.rank_words it makes the original's mistake, to sort twice: it returns the
// ranks of the first n words as if they were positions.
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
	}
	return order[:min(n, len(order))]
}
