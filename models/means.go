package models

import "imdbexp/internal/ops"

// Means leaves in dst the mean vectors of n reviews [n, d], as Inputs.Means has them:
// words returns the rows of the table [R, d] that are the words of review i.
func Means(pool *ops.Pool, dst, table []float32, d, n int, words func(i int) []int32) error {
	const block = 64
	return pool.For((n+block-1)/block, func(k int) {
		var rows []float32
		for i := k * block; i < min((k+1)*block, n); i++ {
			rows = rows[:0]
			for _, id := range words(i) {
				rows = append(rows, table[int(id)*d:][:d]...)
			}
			ops.MeanRow(dst[i*d:][:d], rows)
		}
	})
}
