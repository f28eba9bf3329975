package ops

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
