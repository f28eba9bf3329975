package ops

import "imdbexp/internal/simd"

// backward computes, with G the gradient of O and e the gradient of the entropy of each row (the
// gradient of the review's mean, divided by the number of rows),
//
//	∂V = Pᵀ G    ∂P = G Vᵀ    ∂S = scale · P ⊙ (∂P − Dᵢ − e (log P + hᵢ))
//	∂Q = ∂S K    ∂K = ∂Sᵀ Q    Dᵢ = Σⱼ pᵢⱼ ∂pᵢⱼ = Gᵢ·Oᵢ
//
// and, with the softmax over the queries, Dⱼ = ∂Vⱼ·Vⱼ. P is recomputed.
func (k *attention) backward(in, out, dout []Mat, din []Grad) error {
	k.part(din[0])
	err := k.each(k.keys, k.queries, sliceSize, allElements, func(r *work, t attentionTask) {
		s := attentionSlice{k: k, work: r, t: t, q: in[0], keys: in[1], v: in[2], out: out[0], g: dout[0], dq: din[0], dk: din[1], dv: din[2]}
		if dout[1].Data != nil {
			s.e = dout[1].Row(t.review)[t.head] / float32(k.soft.length(t.review))
		}
		s.backward()
	})
	if err != nil || !din[0].Wanted() || len(k.parts) == 0 {
		return err
	}
	return k.g.pool.reviews(k.queries, func(_, b, lo, hi int) {
		for p := k.partsOf[b]; p < k.partsOf[b+1]; p += hi - lo {
			simd.Add(din[0].Range(lo, hi), k.parts[p*din[0].Cols:(p+hi-lo)*din[0].Cols])
		}
	})
}

// part allocates the gradients of the queries from all slices of a review except
// the first. They are added to the first slice's gradient in their order.
func (k *attention) part(dq Grad) {
	k.partsOf = append(k.partsOf[:0], 0)
	for b := range k.keys.reviews.Len() {
		n := k.keys.length(b)
		slices := (n + sliceSize(n) - 1) / sliceSize(n)
		k.partsOf = append(k.partsOf, k.partsOf[b]+(slices-1)*k.queries.length(b))
	}
	if dq.Wanted() {
		k.parts = grown(k.parts, k.partsOf[len(k.partsOf)-1]*dq.Cols)
	}
}

// attentionSlice is the backward pass of one slice of keys. The tiles of S have
// queries as rows and keys as columns.
type attentionSlice struct {
	*work
	k               *attention
	t               attentionTask
	q, keys, v      Mat
	out, g          Mat // O and its gradient; g has no data if there is none
	dq, dk, dv      Grad
	e               float32 // gradient of the entropy of each row
	query, n, first int     // the review's first query and their number, its first key
}

// keyBlock is a block of keys, the columns of a tile.
type keyBlock struct {
	j    int // its first key in the review
	key  int // the same in the batch
	cols int // number of keys
	rows int // of a tile
	ld   int
	from int // the first query that attends to it
	more int // keys after it in the slice that are copies of its last one
}

func (s *attentionSlice) backward() {
	k, b := s.k, s.t.review
	s.query, s.n, s.first = k.queries.Offsets[b], k.queries.length(b), k.keys.Offsets[b]
	rows, end := evenly(s.n, tileRows, 1), s.t.hi
	long := rows
	if k.OverQueries {
		long, end = s.n, min(max(k.ownKeys[b], s.t.lo+1), end)
	}
	step := evenly(end-s.t.lo, tileCols, 16)
	ld := stride(step)
	s.s, s.ds = grown(s.s, long*ld), grown(s.ds, rows*ld)
	s.xT, s.vT = grown(s.xT, k.dk*ld), grown(s.vT, k.dv*ld)
	s.sumT, s.dvT = grown(s.sumT, k.dk*ld), grown(s.dvT, k.dv*ld)
	s.turned = grown(s.turned, step*max(k.dk, k.dv))
	s.columns(step)
	s.live = s.live[:0]
	for i := 0; i < s.n; i += rows {
		s.live = append(s.live, s.reached(i, min(rows, s.n-i)))
	}
	if !k.OverQueries {
		s.shiftQueries()
	}
	for j := s.t.lo; j < end; j += step {
		c := keyBlock{j: j, key: s.first + j, cols: min(step, end-j), rows: rows, ld: ld}
		if j+c.cols == end {
			c.more = s.t.hi - end
		}
		if k.Causal { // the queries before cannot see these keys
			c.from = j / rows * rows
			if j == s.t.lo {
				s.clearQueries(c.from)
			}
		}
		s.keyBlock(c)
	}
}

// keyBlock computes the gradients from a block of keys and all queries that attend to it.
func (s *attentionSlice) keyBlock(c keyBlock) {
	k, head := s.k, s.t.head
	simd.Transpose(s.xT, c.ld, headOf(s.keys, c.key, head, k.dk), s.keys.Cols, c.cols, k.dk)
	if s.g.Data != nil {
		simd.Transpose(s.vT, c.ld, headOf(s.v, c.key, head, k.dv), s.v.Cols, c.cols, k.dv)
	}
	clear(s.dvT)
	clear(s.sumT)
	if k.OverQueries {
		s.valuesOverQueries(c)
		s.shiftKeys(c)
	}
	for i := c.from; i < s.n; i += c.rows {
		rows, live := min(c.rows, s.n-i), s.live[i/c.rows]
		if !k.OverQueries && s.e == 0 { // the rest of S has no gradient either
			s.noGradient(c, i+live, rows-live)
			rows = live
		}
		if rows > 0 {
			s.queryTile(c, i, rows, live)
		}
	}
	s.write(s.dk, c, k.dk, s.sumT)
	s.write(s.dv, c, k.dv, s.dvT)
}

// valuesOverQueries computes the scores of all queries in one long tile and the gradient of the
// values, which the gradient of the scores needs with OverQueries.
func (s *attentionSlice) valuesOverQueries(c keyBlock) {
	for i := 0; i < s.n; i += c.rows {
		s.k.longScores(s.work, s.t, s.q, i, min(c.rows, s.n-i), c.ld, c.cols)
		if live := s.live[i/c.rows]; live > 0 {
			copy(s.ds, s.s[i*c.ld:][:(live-1)*c.ld+c.cols])
			s.k.attendOver(s.work, s.ds, live, c.ld, c.cols, s.t.head, c.key)
			s.addValues(c, s.ds, i, live)
		}
	}
}

// queryTile computes the gradients from a block of keys and a tile of queries, from i on. Only the
// first live queries have a gradient of their results.
func (s *attentionSlice) queryTile(c keyBlock, i, rows, live int) {
	k, head := s.k, s.t.head
	tile := s.s
	if k.OverQueries {
		tile = s.s[i*c.ld:]
	} else {
		s.scores(c, tile, i, rows)
	}
	s.scoresGrad(c, tile, i, rows, live)
	if !k.OverQueries && live > 0 && s.dv.Wanted() {
		s.addValues(c, tile, i, live)
	}
	if s.dk.Wanted() {
		simd.TN(k.dk, c.cols, rows, headOf(s.q, s.query+i, head, k.dk), s.q.Cols, s.ds, c.ld, s.sumT, c.ld, true)
	}
	if s.dq.Wanted() {
		s.addQueries(c, i, rows)
	}
}

// addQueries adds ∂S K of a tile to the gradient of its queries.
func (s *attentionSlice) addQueries(c keyBlock, i, rows int) {
	dk, head, keys := s.k.dk, s.t.head, s.keys
	to, add := s.queriesFrom(i)
	simd.NN(rows, dk, c.cols, s.ds, c.ld, headOf(keys, c.key, head, dk), keys.Cols, to, s.dq.Cols, add || c.j > s.t.lo)
	if c.more > 0 {
		s.again(s.ds[c.cols-1:], rows, c.ld, c.more, headOf(keys, c.key+c.cols, head, dk), keys.Cols, dk, to, s.dq.Cols)
	}
}

// reached returns the number of a tile's queries, from i on, up to the last one whose result
// has a gradient. If a model only reads [CLS], this is one query of a review.
func (s *attentionSlice) reached(i, rows int) int {
	if s.g.Data == nil {
		return 0
	}
	for ; rows > 0; rows-- {
		for _, v := range headOf(s.g, s.query+i+rows-1, s.t.head, s.k.dv)[:s.k.dv] {
			if v != 0 {
				return rows
			}
		}
	}
	return 0
}

// noGradient sets this slice's gradient of n queries from i on to zero.
func (s *attentionSlice) noGradient(c keyBlock, i, n int) {
	if !s.dq.Wanted() || c.j > s.t.lo {
		return
	}
	for r := range n {
		if to, add := s.queriesFrom(i + r); !add {
			clear(to[:s.k.dk])
		}
	}
}

// scores computes a tile of QKᵀ, the queries from i on.
func (s *attentionSlice) scores(c keyBlock, tile []float32, i, rows int) {
	simd.NN(rows, c.cols, s.k.dk, headOf(s.q, s.query+i, s.t.head, s.k.dk), s.q.Cols, s.xT, c.ld, tile, c.ld, false)
	if !s.k.Causal {
		return
	}
	for r := range rows {
		if behind := max(i+r+1-c.j, 0); behind < c.cols {
			simd.Fill(tile[r*c.ld+behind:][:c.cols-behind], negInf)
		}
	}
}

// scoresGrad turns the tile of scores into P and sets s.ds to ∂S. Only the first live
// rows of ∂P are not zero.
func (s *attentionSlice) scoresGrad(c keyBlock, tile []float32, i, rows, live int) {
	k, head := s.k, s.t.head
	clear(s.ds[live*c.ld : rows*c.ld])
	if live > 0 {
		simd.NN(live, c.cols, k.dv, headOf(s.g, s.query+i, head, k.dv), s.g.Cols, s.vT, c.ld, s.ds, c.ld, false)
		if k.dropsOut() {
			k.drop(s.ds, live, c.ld, c.cols, head, s.query+i, c.key, false)
		}
	}
	lse := k.lse[head*k.soft.Len():]
	if k.OverQueries {
		simd.SoftmaxGradColumns(tile, s.ds, rows, c.ld, c.cols, k.Scale, lse[c.key:][:c.cols], s.shift[:c.cols], s.e)
	} else {
		simd.SoftmaxGradRows(tile, s.ds, rows, c.ld, c.cols, k.Scale, lse[s.query+i:][:rows], s.shift[i:][:rows], s.e)
	}
}

// addValues adds Pᵀ G of a tile p to the gradient of the values.
func (s *attentionSlice) addValues(c keyBlock, p []float32, i, rows int) {
	k := s.k
	if k.dropsOut() {
		k.drop(p, rows, c.ld, c.cols, s.t.head, s.query+i, c.key, false)
	}
	simd.TN(k.dv, c.cols, rows, headOf(s.g, s.query+i, s.t.head, k.dv), s.g.Cols, p, c.ld, s.dvT, c.ld, true)
}

// queriesFrom returns the memory for this slice's gradient of the queries from the
// i-th on, and whether to add to it already for the slice's first keys.
func (s *attentionSlice) queriesFrom(i int) (to []float32, add bool) {
	if s.t.slice == 0 {
		return headOf(s.dq.Mat, s.query+i, s.t.head, s.k.dk), s.dq.Add
	}
	row := s.k.partsOf[s.t.review] + (s.t.slice-1)*s.n + i
	return s.k.parts[row*s.dq.Cols+s.t.head*s.k.dk:], false
}

// clearQueries sets the gradient of the first n queries, none of which attends
// to the slice, to zero. In the first slice n is 0.
func (s *attentionSlice) clearQueries(n int) {
	if !s.dq.Wanted() {
		return
	}
	for i := range n {
		to, _ := s.queriesFrom(i)
		clear(to[:s.k.dk])
	}
}

// shiftQueries sets shift to Dᵢ + e·hᵢ of all queries of the review.
func (s *attentionSlice) shiftQueries() {
	k, head := s.k, s.t.head
	h := k.entropy[head*k.soft.Len()+s.query:]
	s.shift = grown(s.shift, s.n)
	for i := range s.shift {
		s.shift[i] = float32(s.e * h[i])
		if s.g.Data != nil {
			g, o := headOf(s.g, s.query+i, head, k.dv)[:k.dv], headOf(s.out, s.query+i, head, k.dv)[:k.dv]
			s.shift[i] += simd.Dot(g, o)
		}
	}
}

// shiftKeys sets shift to Dⱼ + e·hⱼ of a block of keys.
func (s *attentionSlice) shiftKeys(c keyBlock) {
	k, head := s.k, s.t.head
	h := k.entropy[head*k.soft.Len()+c.key:]
	s.shift = grown(s.shift, c.cols)
	simd.Transpose(s.turned, k.dv, s.dvT, c.ld, k.dv, c.cols)
	for j := range s.shift {
		dv, v := s.turned[j*k.dv:][:k.dv], headOf(s.v, c.key+j, head, k.dv)[:k.dv]
		s.shift[j] = float32(s.e*h[j]) + simd.Dot(dv, v)
	}
}

// write writes the gradient of a block of keys or values to its rows, and the last row also
// to its copies.
func (s *attentionSlice) write(to Grad, c keyBlock, width int, sumT []float32) {
	if !to.Wanted() {
		return
	}
	row := func(j int) []float32 { return headOf(to.Mat, c.key+j, s.t.head, width)[:width] }
	if !to.Add {
		simd.Transpose(headOf(to.Mat, c.key, s.t.head, width), to.Cols, sumT, c.ld, width, c.cols)
		for j := range c.more {
			copy(row(c.cols+j), row(c.cols-1))
		}
		return
	}
	simd.Transpose(s.turned, width, sumT, c.ld, width, c.cols)
	for j := range c.cols + c.more {
		simd.Add(row(j), s.turned[min(j, c.cols-1)*width:][:width])
	}
}
