package ops

import "imdbexp/internal/simd"

// partials holds one gradient of a weight matrix for each shard; total adds them
// up in shard order, so the sum does not depend on the workers.
type partials struct {
	bufs [][]float32
}

// prepare makes n buffers of the given size; their contents are undefined.
func (p *partials) prepare(n, size int) {
	p.bufs = resized(p.bufs, n)
	for i := range n {
		p.bufs[i] = grown(p.bufs[i], size)
	}
}

// resized returns the list with n elements. Elements beyond its end keep their memory for a later
// call.
func resized[T any](list []T, n int) []T {
	for cap(list) < n {
		list = append(list[:cap(list)], *new(T))
	}
	return list[:n]
}

// total adds the parts up and returns their sum, which the next prepare reuses.
func (p *partials) total() []float32 {
	total := p.bufs[0]
	for _, b := range p.bufs[1:] {
		simd.Add(total, b)
	}
	return total
}
