package ops

import "imdbexp/internal/simd"

// partials holds one gradient of a weight matrix for each shard; sum adds them
// up in shard order, whoever computed them.
type partials struct {
	bufs [][]float32
}

// prepare makes n buffers of the given size; their contents are undefined.
func (p *partials) prepare(n, size int) {
	for len(p.bufs) < n {
		p.bufs = append(p.bufs, nil)
	}
	for i := range n {
		p.bufs[i] = grown(p.bufs[i], size)
	}
	p.bufs = p.bufs[:n]
}

// sum leaves the total in the gradients of the inputs whose rows lie one after
// another in it.
func (p *partials) sum(to ...Grad) {
	total := p.bufs[0]
	for _, b := range p.bufs[1:] {
		simd.Add(total, b)
	}
	for _, d := range to {
		part := total[:len(d.Data)]
		total = total[len(d.Data):]
		if d.Add {
			simd.Add(d.Data, part)
		} else {
			copy(d.Data, part)
		}
	}
}
