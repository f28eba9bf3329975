package ops

// pieceRows is the most rows that a worker takes at a time of what is computed row by row.
const pieceRows = 512

// pieces are rows cut evenly for what is computed row by row, more finely than into shards: of
// the three shards of a batch of 16 reviews one of two workers would have two.
type pieces struct{ rows, n int }

func piecesOf(rows int) pieces { return pieces{rows, (rows + pieceRows - 1) / pieceRows} }

// of returns the rows of piece i.
func (p pieces) of(i int) (lo, hi int) { return i * p.rows / p.n, (i + 1) * p.rows / p.n }

// rowwise runs f for all rows, in pieces. What f leaves of a row may depend on no other row.
func (p *Pool) rowwise(rows int, f func(lo, hi int)) error {
	cut := piecesOf(rows)
	return p.For(cut.n, func(i int) { f(cut.of(i)) })
}
