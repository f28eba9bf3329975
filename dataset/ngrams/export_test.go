package ngrams

import "imdbexp/internal/sparse"

// EncodeText counts the features of one text, as Encode does: a matrix of one row.
func (f *Features) EncodeText(words []string, binary bool) (*sparse.Matrix, error) {
	t, vocab := one(words)
	return f.Encode(sparse.Serial{}, t, vocab, binary)
}
