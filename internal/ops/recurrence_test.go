package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

// Shards that are stepped together leave the bits that each leaves alone, whichever are
// together: the sums of their gradients of the weights, too, over several chunks of steps.
func TestShardsSteppedTogether(t *testing.T) {
	usual := ops.StepTogether(math.MaxInt)
	t.Cleanup(func() { ops.StepTogether(usual) })
	ones := slices.Repeat([]int{1}, 900)
	batches := map[string]func(c opCase) *ragged.Batch{
		"uneven lengths":       func(c opCase) *ragged.Batch { return c.longTail(sizes(9000, 2500, 2500)) },
		"one long, many short": func(opCase) *ragged.Batch { return batch(append([]int{1300}, ones...)...) },
		"one review":           func(opCase) *ragged.Batch { return batch(700) },
		"lengths of one":       func(opCase) *ragged.Batch { return batch(ones...) },
		"one word":             func(opCase) *ragged.Batch { return batch(1) },
	}
	for _, c := range cases {
		if !c.is("lstm", "gru", "rnn", "pairs: lstm", "pairs: gru") {
			continue
		}
		for name, b := range batches {
			if c.is("pairs") && name != "uneven lengths" {
				continue // these have no targets
			}
			t.Run(c.name+", "+name, func(t *testing.T) {
				data := b(c)
				bits := func(together, workers int) []uint32 {
					ops.StepTogether(together)
					n := assemble(t, c, newPool(t, workers), all)
					n.run(t, data)
					return n.bits()
				}
				want := bits(math.MaxInt, 1)
				for _, workers := range []int{1, 3} {
					requireBits(t, want, bits(0, workers), "%d workers", workers)
				}
			})
		}
	}
}

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
			calls := 0
			everyLevel(t, func(l simd.Level) {
				requireBits(t, want, bits(1, func(x *ops.Node, b *ragged.Batch) error {
					return x.Lookup(table, b.IDs, func() { calls++ })
				}), "%s, reverse %v, %v", name, reverse, l)
			})
			require.Equal(t, len(simd.Levels())*len(batches), calls)
			requireBits(t, want, bits(3, func(x *ops.Node, b *ragged.Batch) error { return x.Lookup(table, b.IDs, nil) }), "%s, reverse %v, three workers", name, reverse)
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
	require.EqualError(t, x.Lookup(make([]float32, 10), []int32{4, 5}, nil), "word 1 of the batch is row 5 of a table of 5")
	require.EqualError(t, x.Lookup(make([]float32, 10), []int32{-1}, nil), "word 0 of the batch is row -1 of a table of 5")
	require.NoError(t, x.Lookup(make([]float32, 10), []int32{4, 0}, nil))
}

// texts makes a batch of texts of words.
func texts(list [][]int32) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}}
	for i, words := range list {
		b.Add(int32(i), 0, words)
	}
	return b
}

// leftOut is a text of n words without one after another.
func leftOut(n int) (out [][]int32) {
	words := make([]int32, n)
	for i := range words {
		words[i] = int32(simd.Hash2(5, 0, uint64(i)) % vocabulary)
	}
	for i := range words {
		out = append(out, slices.Delete(slices.Clone(words), i, i+1))
	}
	return out
}

// Texts that begin alike, or end alike where they are read from the end, have the same bits
// whether their steps are shared, as without gradients, or not.
func TestStepsThatAreShared(t *testing.T) {
	const d, h = 6, 17
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n, length, of int) (out [][]int32) {
		for range n {
			words := make([]int32, length)
			for i := range words {
				words[i] = random.Int32N(int32(of))
			}
			out = append(out, words)
		}
		return out
	}
	table := make([]float32, vocabulary*d)
	simd.Uniform(table, simd.Key(3, "table"), -0.8, 0.8)
	clear(table[:2*d]) // words 0 and 1 differ in the sign of zeros alone
	for i := range d {
		table[d+i] = float32(math.Copysign(0, -1))
	}
	alike := append(some(3, 9, 4), some(1, 9, 1)...)
	batches := map[string][][]int32{
		"one word after another left out": leftOut(41),
		"few words":                       some(70, 11, 2),
		"the same text":                   slices.Repeat(some(1, 30, 9), 30),
		"several, some the same":          slices.Concat(alike, alike, some(40, 9, 3)),
		"one word":                        some(9, 1, 2),
		"one text":                        some(1, 20, 5),
		"other lengths":                   append(leftOut(30), some(5, 4, 2)...),
	}
	for cell, build := range recurrent {
		for _, reverse := range []bool{false, true} {
			for name, list := range batches {
				b := texts(list)
				bits := func(workers int, looked, training bool) (out []uint32) {
					g := ops.NewGraph(newPool(t, workers), training)
					g.Seed(seed)
					x := g.Leaf("x", g.Words(), d, false)
					n := 0
					w := func(rows, cols int) *ops.Node {
						n++
						values := make([]float32, rows*cols)
						simd.Uniform(values, simd.Key(uint64(n), cell), -0.8, 0.8)
						return g.Param(string(rune('a'+n)), rows, cols, values)
					}
					results := build(x, h, w, reverse)
					if cell == "lstm" {
						above, end, cell := ops.LSTMLast(results[0], w(h, 4*h), w(h, 4*h), w(1, 4*h), reverse)
						results = append(results, above, end, cell)
					}
					require.NoError(t, g.Err())
					m := machine(t, g)
					if looked {
						require.NoError(t, x.Lookup(table, b.IDs, nil))
					} else {
						require.NoError(t, layOut(x, table, d, b))
					}
					for range 2 { // the room of the first pass holds what the second one finds
						out = out[:0]
						require.NoError(t, m.Run(b, 1))
						for _, r := range results {
							out = append(out, bitsOf(r.Mat())...)
						}
					}
					if cell == "lstm" {
						stepped := ops.Stepped(results[0])
						switch {
						case training || name == "one text":
							require.Equal(t, b.Words(), stepped, name)
						case name == "one word after another left out":
							require.Less(t, float64(stepped), 0.55*float64(b.Words()))
						case name == "the same text":
							require.Less(t, stepped, 4*(30+30), "a text and the last steps, for each of up to three shards")
						}
					}
					return out
				}
				want := bits(1, true, true)
				everyLevel(t, func(l simd.Level) {
					requireBits(t, want, bits(1, true, false), "%s, reverse %v, %s, %v", cell, reverse, name, l)
				})
				requireBits(t, want, bits(3, false, false), "%s, reverse %v, %s, vectors", cell, reverse, name)
			}
		}
	}
}
