package ops

import "imdbexp/internal/simd"

// A normalisation makes several passes over its rows, a block of rows
// at a time: each pass is one kernel call, and the block stays in the L1
// cache. A product expands one number a row, or one a column, to a block.

const blockElements = 2048

// rowBlock returns how many rows of d elements make a block.
func rowBlock(d int) int { return max(1, blockElements/d) }

// blocks calls f for every block of the rows lo … hi.
func blocks(lo, hi, d int, f func(lo, hi int)) {
	for step := rowBlock(d); lo < hi; lo += step {
		f(lo, min(lo+step, hi))
	}
}

// outer sets dst = a·bᵀ, or adds it: one row for each element of a.
func outer(dst, a, b []float32, add bool) {
	simd.NN(len(a), len(b), 1, a, 1, b, len(b), dst, len(b), add)
}

// scratch holds some buffers of the same size for each shard.
type scratch struct {
	buf  []float32
	size int
}

// prepare allocates size elements for each of n shards.
func (s *scratch) prepare(n, size int) {
	s.buf, s.size = grown(s.buf, n*size), size
}

// of returns a function that allocates pieces of a shard's memory.
func (s *scratch) of(shard int) func(n int) []float32 {
	rest := s.buf[shard*s.size:][:s.size]
	return func(n int) []float32 {
		piece := rest[:n:n]
		rest = rest[n:]
		return piece
	}
}

// ones returns n ones, in buf if it has them already.
func ones(buf []float32, n int) []float32 {
	if len(buf) < n {
		buf = make([]float32, n)
		simd.Fill(buf, 1)
	}
	return buf[:n]
}

// kept returns a buffer of y's size for values that the backward pass needs: buf, or y's
// memory if there is no backward pass.
func kept(buf []float32, y Mat, training bool) []float32 {
	if !training {
		return y.Data
	}
	return grown(buf, len(y.Data))
}

// columnSums adds up columns: a block of rows in float32, the blocks of a shard
// and then the shards in float64, as a batch has many thousand rows.
type columnSums struct {
	block scratch
	parts [][]float64
}

// prepare sets the sums of d columns to zero.
func (c *columnSums) prepare(shards, d int) {
	c.block.prepare(shards, d)
	c.parts = resized(c.parts, shards)
	for i, p := range c.parts {
		if cap(p) < d {
			p = make([]float64, d)
		}
		c.parts[i] = p[:d]
		clear(c.parts[i])
	}
}

// add adds a block of rows to the sums of a shard.
func (c *columnSums) add(shard int, rows []float32) {
	part := c.parts[shard]
	d := len(part)
	sums := c.block.of(shard)(d)
	simd.ColumnSums(sums, rows, len(rows)/d, d, d, false)
	for j, s := range sums {
		part[j] += float64(s)
	}
}

// total returns the sums over all shards.
func (c *columnSums) total() []float64 {
	for _, p := range c.parts[1:] {
		for j, s := range p {
			c.parts[0][j] += s
		}
	}
	return c.parts[0]
}
