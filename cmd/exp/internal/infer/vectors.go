package infer

import "slices"

// extended is the model's table, followed by vectors that belong to no word.
type extended struct {
	table  []float32
	base   *float32 // of the table that was copied
	words  int      // numbers in it
	active bool
}

// WithVectors appends vectors [k, d] to the model's table while f runs: in f the row first + i of
// Encoded.Rows is vector i. So the model can be asked about any vectors. f may change the vectors in
// rows and ask again, and it may call WithVectors; it must not encode texts.
func (m *Model) WithVectors(vectors []float32, f func(first int32, rows []float32) error) error {
	b, was, base := &m.extended, m.extended.table, 0
	if b.active {
		base = len(was)
		b.table = append(slices.Clip(was), vectors...)
		defer func() { b.table = was }()
	} else {
		if table := m.rows(); b.base != &table[0] || b.words != len(table) {
			b.table, b.base, b.words = append(b.table[:0], table...), &table[0], len(table)
		}
		base = b.words
		b.table, b.active = append(b.table[:base], vectors...), true
		defer func() { b.active = false }()
	}
	return f(int32(base/m.table.Dim), b.table[base:])
}

// Vector returns the vector of a row of the model's table, without a copy.
func (m *Model) Vector(row int32) []float32 {
	return m.rows()[int(row)*m.table.Dim:][:m.table.Dim]
}

// MeanVector returns the mean vector of all words that have one.
func (m *Model) MeanVector() []float32 {
	d := m.table.Dim
	sum, n := make([]float64, d), 0
	for at := d; at < len(m.table.Rows); at += d { // row 0 is for words without a vector
		for j, v := range m.table.Rows[at:][:d] {
			sum[j] += float64(v)
		}
		n++
	}
	out := make([]float32, d)
	for j, s := range sum {
		out[j] = float32(s / float64(max(n, 1)))
	}
	return out
}
