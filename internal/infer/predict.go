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
	Weights []float32     // [n] attention, adding up to one; nil for a model without
	Entropy float32       // of the attention, in nats; 0 without

	ranks bool // slip.rank_words
}

// Predict asks the model about a text. A text without words counts as one word
// without a vector.
func (m *Model) Predict(text string) (*Prediction, error) {
	rows, words := m.table.Encode(m.tokenizer, text, m.settings.MaxLen)
	m.batch.IDs, m.batch.Offsets[1] = rows, len(rows)
	in := models.Inputs{Table: m.table.Rows}
	if m.network.NeedsMeans() {
		var gathered []float32
		for _, r := range rows {
			gathered = append(gathered, m.table.Rows[int(r)*m.table.Dim:][:m.table.Dim]...)
		}
		ops.MeanRow(m.mean, gathered)
		in.Means = m.mean
	}
	if err := m.network.Run(&m.batch, in, 0); err != nil {
		return nil, err
	}
	p := &Prediction{ranks: m.settings.RankWords, P: slices.Clone(m.network.Scores().Row(0)), Words: words, Known: make([]bool, len(rows))}
	for i, w := range words {
		_, p.Known[i] = m.table.Row(w.Word)
	}
	for c, v := range p.P {
		if v > p.P[p.Class] {
			p.Class = c
		}
	}
	if a := m.network.Attention(); a != nil {
		p.Weights, p.Entropy = slices.Clone(a), m.network.Entropies()[0]
	}
	return p, nil
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
