package corpusvec

import (
	"context"
	"slices"
)

// matrix is a square sparse matrix by rows: row r holds the columns
// cols[start[r]:start[r+1]], rising, and their values.
type matrix struct {
	n     int
	start []int     // [n+1]
	cols  []int32   // [entries]
	vals  []float64 // [entries]
}

func (m *matrix) empty() bool {
	for _, v := range m.vals {
		if v > 0 {
			return false
		}
	}
	return true
}

// keep drops words that occur fewer than minCount times: it returns the corpus
// in ids of the kept words, −1 for the others, and the old id of each kept word.
// A dropped word leaves its place empty, so distances stay those of the text.
func keep(ids []int32, vocab, minCount int) (kept, words []int32) {
	counts := make([]int, vocab)
	for _, id := range ids {
		counts[id]++
	}
	fresh := make([]int32, vocab)
	for w, c := range counts {
		fresh[w] = -1
		if c >= minCount {
			fresh[w] = int32(len(words))
			words = append(words, int32(w))
		}
	}
	kept = make([]int32, len(ids))
	for i, id := range ids {
		kept[i] = fresh[id]
	}
	return kept, words
}

// count returns the weighted co-occurrence counts C of n words. They are whole
// numbers, hence exact and independent of the order of counting. Each row is
// counted on its own from the positions of its word, so memory is that of the
// result and rows can be shared out among workers.
func count(ctx context.Context, ids []int32, offsets []int, n int, o Options) (*matrix, error) {
	at, text := positions(ids, offsets, n)
	type row struct {
		cols []int32
		vals []float64
	}
	rows := make([]row, n)
	err := parallel(ctx, n, o.Workers, func() func(lo, hi int) {
		sums := make([]int64, n) // of the row at hand; zero between rows
		var touched []int32
		return func(lo, hi int) {
			for w := lo; w < hi; w++ {
				touched = touched[:0]
				for _, p := range at.of(w) {
					t := text[p]
					from, to := max(offsets[t], int(p)-o.Window), min(offsets[t+1], int(p)+o.Window+1)
					for q := from; q < to; q++ {
						c := ids[q]
						if c < 0 || q == int(p) {
							continue
						}
						if sums[c] == 0 {
							touched = append(touched, c)
						}
						distance := max(q-int(p), int(p)-q)
						sums[c] += int64(o.Window - distance + 1)
					}
				}
				slices.Sort(touched)
				r := row{slices.Clone(touched), make([]float64, len(touched))}
				for i, c := range touched {
					r.vals[i], sums[c] = float64(sums[c]), 0
				}
				rows[w] = r
			}
		}
	})
	if err != nil {
		return nil, err
	}
	m := &matrix{n: n, start: make([]int, n+1)}
	for w, r := range rows {
		m.start[w+1] = m.start[w] + len(r.cols)
	}
	m.cols = make([]int32, 0, m.start[n])
	m.vals = make([]float64, 0, m.start[n])
	for w, r := range rows {
		m.cols, m.vals = append(m.cols, r.cols...), append(m.vals, r.vals...)
		rows[w] = row{}
	}
	return m, nil
}

// index lists the positions of each word in the corpus.
type index struct {
	start []int
	at    []int32
}

func (x index) of(w int) []int32 { return x.at[x.start[w]:x.start[w+1]] }

// positions inverts the corpus; text holds the text of every position.
func positions(ids []int32, offsets []int, n int) (x index, text []int32) {
	x.start = make([]int, n+1)
	for _, id := range ids {
		if id >= 0 {
			x.start[id+1]++
		}
	}
	for w := range n {
		x.start[w+1] += x.start[w]
	}
	x.at = make([]int32, x.start[n])
	next := slices.Clone(x.start[:n])
	for p, id := range ids {
		if id >= 0 {
			x.at[next[id]] = int32(p)
			next[id]++
		}
	}
	text = make([]int32, len(ids))
	for t := range len(offsets) - 1 {
		for p := offsets[t]; p < offsets[t+1]; p++ {
			text[p] = int32(t)
		}
	}
	return x, text
}
