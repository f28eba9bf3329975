package ngrams

import "imdbexp/internal/sparse"

// EncodeText counts the features of one text, as Encode does: a matrix of one row.
func (f *Features) EncodeText(words []string, binary bool) (*sparse.Matrix, error) {
	t := make(text, len(words))
	for i := range t {
		t[i] = int32(i)
	}
	return f.Encode(sparse.Serial{}, t, words, binary)
}

// text is one review.
type text []int32

func (t text) Len() int          { return 1 }
func (t text) Words(int) []int32 { return t }
