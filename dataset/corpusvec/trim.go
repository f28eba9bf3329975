package corpusvec

import (
	"context"
	"slices"
	"sync/atomic"

	"imdbexp/internal/simd"
)

// trimmer drops rare pairs from a matrix that grows too large. C is symmetric, and so is the
// rest of M.
type trimmer struct {
	*matrix
	half, weight []float64
	pairs        int   // in the matrix
	least        int64 // smallest C of a kept pair
}

// trim raises least and drops smaller pairs from the first blocks. The result depends on the
// matrix alone: entries hold ln C with an error of a millionth, far less than the distance
// between least and the next smaller integer.
func (t *trimmer) trim(ctx context.Context, blocks, workers int) error {
	t.least += max(1, t.least/4)
	bound := simd.Log64(float64(t.least) - 0.5)
	var kept atomic.Int64
	err := parallel(ctx, blocks, workers, func() func(int) {
		var cols []int32
		var vals []float32
		return func(i int) {
			b := &t.blocks[i]
			cols, vals = cols[:0], vals[:0]
			begin := 0
			for r := range len(b.start) - 1 {
				w := i*blockRows + r
				for e := begin; e < b.start[r+1]; e++ {
					x := b.cols[e]
					if float64(b.vals[e])/(t.weight[w]*t.weight[x])+(t.half[w]+t.half[x]) >= bound {
						cols, vals = append(cols, x), append(vals, b.vals[e])
					}
				}
				begin = b.start[r+1]
				b.start[r+1] = len(cols)
			}
			if len(cols) < len(b.cols) {
				b.cols, b.vals = slices.Clone(cols), slices.Clone(vals)
			}
			kept.Add(int64(len(cols)))
		}
	})
	t.pairs = int(kept.Load())
	return err
}
