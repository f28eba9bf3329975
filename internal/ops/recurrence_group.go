package ops

import (
	"slices"

	"imdbexp/internal/simd"
)

// A group is one shard or several that a worker steps together. Then a step is a
// product of more rows, the weights are read once for all of them, and fewer steps have only
// one or two reviews left. The gradient of the weights is still a sum for each shard, over its
// rows in the same order as without a group.
type group struct {
	timeline           // of all reviews
	members  []member  // its shards
	starts   []int     // first step of each of its blocks, and the number of steps
	x        []float32 // [rows of a block, d+1] inputs and a one
	h, dz    []float32 // states and gradients of packed rows
	chunk    rowNumbers
	ids      []int32 // rows of the table of words
	block    int     // number of blocks whose inputs have no gradient yet
}

// member is a shard of a group.
type member struct {
	timeline
	shard  int
	at     []int // index of each review in the order of the group
	chunks []int // first step of each chunk, and the number of steps
	left   int   // number of chunks not yet summed
}

const (
	// chunkRows is about how many rows of a shard are summed forwards in a gradient of
	// weights; the chunks are summed backwards.
	chunkRows = 512
	// blockRows is about how many rows of a product with the inputs stay in the cache.
	blockRows = 128
	// packedRows is how many rows a gradient of weights reads at a time.
	packedRows = 128
	// prefetchCopied is how many rows ahead of a copy rows are prefetched.
	prefetchCopied = 8
)

// wideStates is the width of states from which shards are stepped together. Below it, the
// weights stay in the second-level cache, and so do the gates of a chunk until its gradient is
// summed. The gates of several shards would have to be read again and copied into contiguous
// rows of each shard.
var wideStates = 150 // a variable for tests

// stepRows is the overhead of a step, in rows.
const stepRows = 2

// groupwise runs f for all of n groups, the slowest first: otherwise a worker could start a slow one at
// the end. A group with a long review has many steps of few rows.
func (k *recurrence) groupwise(n int, f func(group int)) error {
	q := k.seq
	k.cost, k.turn = grown(k.cost, n), grown(k.turn, n)
	for i := range n {
		lo, hi := q.owner[i*q.shards()/n], q.owner[(i+1)*q.shards()/n]
		steps := 0
		for b := lo; b < hi; b++ {
			steps = max(steps, q.length(b))
		}
		k.turn[i], k.cost[i] = i, q.Offsets[hi]-q.Offsets[lo]+stepRows*steps
	}
	slices.SortStableFunc(k.turn, func(a, b int) int { return k.cost[b] - k.cost[a] })
	return k.g.pool.For(n, func(i int) { f(k.turn[i]) })
}

// plan orders the reviews of group i of n. Reviews whose inputs x begin with the same rows share the
// first steps; without data in x they share none.
func (k *recurrence) plan(g *group, i, n int, x Mat) {
	q := k.seq
	lo, hi := i*q.shards()/n, (i+1)*q.shards()/n
	g.timeline.plan(q, lo, hi)
	if x.Data != nil {
		k.share(&g.timeline, x)
	}
	k.place(&g.timeline)
	g.starts = g.cut(g.starts[:0], blockRows)
	g.members = resized(g.members, hi-lo)
	for j := range g.members {
		m := &g.members[j]
		m.shard, m.at = lo+j, m.at[:0]
		m.timeline.plan(q, m.shard, m.shard+1)
		m.chunks = m.cut(m.chunks[:0], chunkRows)
		for place, b := range g.order { // reviews of equal length have the same order in both
			if q.owner[m.shard] <= b && b < q.owner[m.shard+1] {
				m.at = append(m.at, place)
			}
		}
	}
}

// toInputs computes the gradient of the inputs of the block that begins with step t, if there
// is one, from the gates' gradients dz [rows of the group, width] with leading dimension ld.
func (k *recurrence) toInputs(g *group, t int, dz []float32, width, ld int, wxT []float32, to Grad) {
	if g.starts[g.block-1] != t {
		return
	}
	d, t1 := to.Cols, g.starts[g.block]
	g.block--
	if !to.Wanted() {
		return
	}
	n := g.base[t1] - g.base[t]
	g.x = grown(g.x, n*d)
	simd.NN(n, d, width, dz[g.base[t]*ld:], ld, wxT, d, g.x, d, false)
	for i := t; i < t1; i++ {
		for r := range g.alive(i) {
			to.put(k.row(g.order[r], i), g.x[(g.base[i]-g.base[t]+r)*d:][:d])
		}
	}
}

// summands are the factors of the weights' gradients.
type summands struct {
	x, states Mat
	start     Mat       // the states before the first step; empty for zeros
	before    []float32 // [rows of the group, h] the states before each step, if they were kept
	dz        []float32 // [rows of the group, width] gradients of the gates
	width     int
}

// packed holds contiguous rows of a chunk.
type packed struct {
	shard, n int
	x, h     []float32 // [n, d+1] inputs and a one, [n, h] the states before them
	dz       []float32 // [n, width]
	add      bool      // the shard already has sums
}

// restart resets sum to the last chunks and toInputs to the last block.
func (g *group) restart() {
	g.block = len(g.starts) - 1
	for i := range g.members {
		g.members[i].left = len(g.members[i].chunks) - 1
	}
}

// sum passes the rows of the chunks that begin with step t to f. The steps come
// backwards.
func (k *recurrence) sum(g *group, t int, s summands, f func(packed)) {
	for i := range g.members {
		if m := &g.members[i]; m.left > 0 && m.chunks[m.left-1] == t {
			k.pack(g, m, s, f)
			m.left--
		}
	}
}

// rowNumbers are the positions of the rows of a chunk, in the shard's order.
type rowNumbers struct {
	group  []int32 // rows of the group
	inputs []int32 // rows of the inputs' data
	before []int32 // rows of the batch of the words before
}

// number lists the rows of a member's last chunk. It returns how many of the leading rows are in
// step 0 and have no word before.
func (k *recurrence) number(g *group, m *member, x Mat) (first int) {
	c := &g.chunk
	c.group, c.before = c.group[:0], c.before[:0]
	for t := m.chunks[m.left-1]; t < m.chunks[m.left]; t++ {
		for _, place := range m.at[:m.alive(t)] {
			c.group = append(c.group, int32(g.base[t]+place))
		}
	}
	for _, row := range c.group {
		c.before = append(c.before, g.at[row])
	}
	c.inputs = x.places(c.inputs, c.before)
	for i := range c.before {
		c.before[i] -= k.step()
	}
	if m.chunks[m.left-1] == 0 {
		first = m.alive(0)
	}
	return first
}

// pack passes the rows of a member's last chunk to f, in the shard's order.
func (k *recurrence) pack(g *group, m *member, s summands, f func(packed)) {
	h, w := s.states.Cols, s.width
	alone := len(g.members) == 1
	first := k.number(g, m, s.x)
	c, rows := &g.chunk, len(g.chunk.group)
	p := packed{shard: m.shard, add: m.left < len(m.chunks)-1}
	for lo := 0; lo < rows; lo += packedRows {
		hi := min(lo+packedRows, rows)
		p.n = hi - lo
		k.inputs(g, s.x, c.inputs[lo:], p.n)
		p.x = g.x
		at := int(c.group[lo])
		if p.dz = s.dz[at*w:]; !alone { // otherwise they are already contiguous
			g.dz = grown(g.dz, p.n*w)
			copyRows(g.dz, s.dz, w, c.group, lo, hi)
			p.dz = g.dz
		}
		g.h = grown(g.h, p.n*h)
		switch p.h = g.h; {
		case s.before != nil && alone:
			p.h = s.before[at*h:]
		case s.before != nil:
			copyRows(g.h, s.before, h, c.group, lo, hi)
		default:
			from := lo
			for ; from < min(first, hi); from++ {
				if state := g.h[(from-lo)*h:][:h]; s.start.Data != nil {
					copy(state, s.start.Row(m.order[from]))
				} else {
					clear(state)
				}
			}
			copyRows(g.h[(from-lo)*h:], s.states.Data, h, c.before, from, hi)
		}
		f(p)
		p.add = true
	}
}

// copyRows copies the rows numbers[lo:hi] of x to consecutive rows.
func copyRows(to, x []float32, width int, numbers []int32, lo, hi int) {
	simd.GatherRows(to, width, x, width, numbers[lo:hi], numbers[min(lo+prefetchCopied, len(numbers)):])
}

// recurring holds the distinct rows of a lookup. Each is multiplied with the weights once, and the
// product is copied to all its positions in the batch. A product has the
// same bits wherever it is computed.
type recurring struct {
	ones     []float32 // [distinct, d+1] the rows, each with a one appended; empty if x is not a lookup
	products []float32 // [distinct, width] with wxb
}

// multiply prepares project, for inputs x and weights wxb [d+1, width].
func (k *recurrence) multiply(x Mat, wxb []float32, width int) error {
	k.ones = k.ones[:0]
	if x.IDs == nil {
		return nil
	}
	d, rows := x.Cols, len(x.Words)
	k.ones, k.products = grown(k.ones, rows*(d+1)), grown(k.products, rows*width)
	return k.g.pool.For((rows+blockRows-1)/blockRows, func(i int) {
		lo, hi := i*blockRows, min((i+1)*blockRows, rows)
		ones := k.ones[lo*(d+1) : hi*(d+1)]
		withOnes(ones, x, x.Words[lo:hi], x.Words[min(lo+prefetchAhead, rows):])
		simd.NN(hi-lo, width, d+1, ones, d+1, wxb, width, k.products[lo*width:], width, false)
	})
}

// project sets z [rows, width], with leading dimension ld, to the products of the inputs of the
// steps t0 … t1 with wxb [d+1, width], including the bias.
func (k *recurrence) project(g *group, t0, t1 int, x Mat, wxb []float32, width int, z []float32, ld int) {
	lo, hi := g.base[t0], g.base[t1]
	g.ids = x.places(g.ids, g.at[lo:min(hi+prefetchCopied, len(g.at))])
	n := hi - lo
	if len(k.ones) > 0 {
		simd.GatherRows(z, ld, k.products, width, g.ids[:n], g.ids[min(prefetchCopied, len(g.ids)):])
		return
	}
	k.inputs(g, x, g.ids, n)
	simd.NN(n, width, x.Cols+1, g.x, x.Cols+1, wxb, width, z, ld, false)
}

// inputs copies the first n of the given rows of x.Data to g.x, each with a one appended. It
// prefetches the next rows.
func (k *recurrence) inputs(g *group, x Mat, rows []int32, n int) {
	d := x.Cols
	g.x = grown(g.x, n*(d+1))
	now, later := rows[:n], rows[min(prefetchCopied, len(rows)):]
	if len(k.ones) > 0 {
		simd.GatherRows(g.x, d+1, k.ones, d+1, now, later)
		return
	}
	withOnes(g.x, x, now, later)
}

// withOnes copies rows of x.Data to to [·, d+1], each with a one appended, and prefetches the
// later ones.
func withOnes(to []float32, x Mat, rows, later []int32) {
	d := x.Cols
	simd.GatherRows(to, d+1, x.Data, d, rows, later)
	for i := d; i < len(to); i += d + 1 {
		to[i] = 1
	}
}
