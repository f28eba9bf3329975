package infer

import (
	"fmt"

	"imdbexp/dataset/token"
)

// Words are what a model looks up of a text before it computes anything.
type Words struct {
	Words   []token.Token // [n] with their place in the text
	Known   []bool        // [n] whether the model has a vector of the word's own
	Vectors []float32     // [n, d] as the epoch that counts left them
}

// Vectors splits a text into words and looks them up. A text without words counts
// as one word without a vector.
func (m *Model) Vectors(text string) Words {
	rows, words := m.table.Encode(m.tokenizer, text, m.settings.MaxLen)
	return Words{words, m.known(words), m.gather(rows)}
}

// gather copies rows of the table.
func (m *Model) gather(rows []int32) []float32 {
	out := make([]float32, 0, len(rows)*m.table.Dim)
	for _, r := range rows {
		out = append(out, m.table.Rows[int(r)*m.table.Dim:][:m.table.Dim]...)
	}
	return out
}

func (m *Model) known(words []token.Token) []bool {
	out := make([]bool, len(words))
	for i, w := range words {
		_, out[i] = m.table.Row(w.Word)
	}
	return out
}

// Dim returns the width d of the word vectors.
func (m *Model) Dim() int { return m.table.Dim }

// Weight returns a trained matrix by its name, such as positions [max, d]. It is
// the model's own.
func (m *Model) Weight(name string) ([]float32, error) {
	for _, w := range m.weights.List() {
		if w.Name == name {
			return w.Data, nil
		}
	}
	return nil, fmt.Errorf("the model has no weight %s", name)
}
