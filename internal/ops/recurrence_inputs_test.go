package ops_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

// recurrent are the recurrent layers of width h: all their states, and the last.
var recurrent = map[string]func(x *ops.Node, h int, w weightOf, reverse bool) []*ops.Node{
	"lstm": func(x *ops.Node, h int, w weightOf, reverse bool) []*ops.Node {
		states, last := ops.LSTM(x, w(x.Cols(), 4*h), w(h, 4*h), w(1, 4*h), reverse)
		return []*ops.Node{states, last}
	},
	"gru": func(x *ops.Node, h int, w weightOf, reverse bool) []*ops.Node {
		states, last := ops.GRU(x, w(x.Cols(), 3*h), w(h, 3*h), w(1, 3*h), w(1, 3*h), reverse)
		return []*ops.Node{states, last}
	},
	"rnn": func(x *ops.Node, h int, w weightOf, reverse bool) []*ops.Node {
		states, last := ops.RNN(x, w(x.Cols(), h), w(h, h), w(1, h), reverse)
		return []*ops.Node{states, last}
	},
}

// Words looked up in a table, whose products are computed once for all positions of a word, give
// the same bits as their copied vectors: states and gradients of the weights, for several
// batches, at every level and with any number of workers.
func TestWordsThatRecur(t *testing.T) {
	const d, h, words = 7, 19, 60
	table := random("table", words*d)
	batches := []*ragged.Batch{wordsOf(40, words), wordsOf(3, words), wordsOf(55, words)}
	for name, cell := range recurrent {
		for _, reverse := range []bool{false, true} {
			bits := func(workers int, set func(x *ops.Node, b *ragged.Batch) error) (out []uint32) {
				g := ops.NewGraph(newPool(t, workers), true)
				x := g.Leaf("x", g.Words(), d, false)
				var weights []*ops.Node
				states := cell(x, h, func(rows, cols int) *ops.Node {
					n := fmt.Sprint("w", len(weights))
					weights = append(weights, g.Param(n, rows, cols, random(n, rows*cols)))
					return weights[len(weights)-1]
				}, reverse)[0]
				loss := ops.Linear(ops.Mean(states), g.Param("u", h, 1, random("u", h)), nil)
				grads := must.Get(g.Grad(ops.Total(ops.Term{Node: loss, Weight: 1}), weights...))(t)
				m := machine(t, g)
				for _, b := range batches {
					require.NoError(t, set(x, b))
					require.NoError(t, m.Run(b, step))
					for _, mat := range append(grads, states.Mat) {
						out = append(out, bitsOf(mat())...)
					}
				}
				return out
			}
			laidOut := func(x *ops.Node, b *ragged.Batch) error { return layOut(x, table, d, b) }
			want := bits(1, laidOut)
			beside := 0
			everyLevel(t, func(l simd.Level) {
				requireBits(t, want, bits(1, func(x *ops.Node, b *ragged.Batch) error {
					return x.Look(table, b.IDs, func() { beside++ })
				}), "%s, reverse %v, %v", name, reverse, l)
			})
			require.Equal(t, len(simd.Levels())*len(batches), beside)
			requireBits(t, want, bits(3, func(x *ops.Node, b *ragged.Batch) error { return x.Look(table, b.IDs, nil) }), "%s, reverse %v, three workers", name, reverse)
		}
	}
}

// wordsOf returns a batch of reviews of up to 90 words from a vocabulary of the given size.
func wordsOf(reviews, words int) *ragged.Batch {
	var list [][]int32
	for i := range reviews {
		text := make([]int32, 1+simd.Hash2(uint64(reviews), 1, uint64(i))%90)
		for j := range text {
			text[j] = int32(simd.Hash2(uint64(reviews), uint64(i+2), uint64(j)) % uint64(words))
		}
		list = append(list, text)
	}
	return texts(list)
}

// layOut sets a leaf of width d to the rows of the batch's words in a table.
func layOut(x *ops.Node, table []float32, d int, b *ragged.Batch) error {
	rows := make([]float32, 0, len(b.IDs)*d)
	for _, w := range b.IDs {
		rows = append(rows, table[int(w)*d:][:d]...)
	}
	x.Set(ops.Mat{Rows: b.Words(), Cols: d, Data: rows})
	return nil
}

// A word outside the table is named.
func TestLookOutside(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), false)
	x := g.Leaf("x", g.Words(), 2, false)
	ops.RNN(x, g.Param("a", 2, 2, make([]float32, 4)), g.Param("b", 2, 2, make([]float32, 4)), g.Param("c", 1, 2, make([]float32, 2)), false)
	require.NoError(t, g.Err())
	require.EqualError(t, x.Look(make([]float32, 10), []int32{4, 5}, nil), "word 1 of the batch is row 5 of a table of 5")
	require.EqualError(t, x.Look(make([]float32, 10), []int32{-1}, nil), "word 0 of the batch is row -1 of a table of 5")
	require.NoError(t, x.Look(make([]float32, 10), []int32{4, 0}, nil))
}
