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
		c.parts[i] = grown(p, d)
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

// pieceRows is the maximum number of rows in a piece.
const pieceRows = 512

// pieces cuts rows evenly for row-by-row work, more finely than into shards. A batch of 16
// reviews has three shards, so one of two workers would have twice the work of the other.
type pieces struct{ rows, n int }

func piecesOf(rows int) pieces { return pieces{rows, (rows + pieceRows - 1) / pieceRows} }

// of returns the rows of piece i.
func (p pieces) of(i int) (lo, hi int) { return i * p.rows / p.n, (i + 1) * p.rows / p.n }

// reviews runs f for every review of an axis with the rows lo … hi that it owns, the shards in
// parallel.
func (p *Pool) reviews(s *Seq, f func(shard, review, lo, hi int)) error {
	return p.For(s.shards(), func(shard int) {
		s.each(shard, func(b, lo, hi int) { f(shard, b, lo, hi) })
	})
}

// rowwise runs f for all rows, in pieces. The result of a row must not depend on other rows.
func (p *Pool) rowwise(rows int, f func(lo, hi int)) error {
	cut := piecesOf(rows)
	return p.For(cut.n, func(i int) { f(cut.of(i)) })
}

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

// wordRows holds the rows of a lookup for a kernel that reads words review by review. The rows
// of a review are copied just before, so they are in the caches while the kernel uses them.
type wordRows struct {
	buf  []float32 // [N, d] if a backward pass reads them again, otherwise one review for each shard
	room int       // size for each shard; 0 in the first case
}

// prepare allocates memory for the rows of x, all of them if they are kept for a backward pass.
func (w *wordRows) prepare(s *Seq, x Mat, keep bool) {
	if x.IDs == nil {
		return
	}
	n := x.Rows * x.Cols
	if w.room = 0; !keep {
		for b := range s.reviews.Len() {
			w.room = max(w.room, s.length(b)*x.Cols)
		}
		n = s.shards() * w.room
	}
	w.buf = grown(w.buf, n)
}

// read returns the rows lo … hi of x, a review of the shard.
func (w *wordRows) read(x Mat, shard, lo, hi int) []float32 {
	if x.IDs == nil {
		return x.Range(lo, hi)
	}
	at := shard * w.room
	if w.room == 0 {
		at = lo * x.Cols
	}
	rows := w.buf[at:][:(hi-lo)*x.Cols]
	simd.GatherRows(rows, x.Cols, x.Data, x.Cols, x.IDs[lo:hi], x.IDs[min(lo+prefetchAhead, x.Rows):])
	return rows
}

// kept returns x, or the copy of its rows that was kept.
func (w *wordRows) kept(x Mat) Mat {
	if x.IDs != nil {
		x.Data, x.IDs = w.buf, nil
	}
	return x
}
