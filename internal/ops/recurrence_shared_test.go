package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

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
						require.NoError(t, x.Look(table, b.IDs, nil))
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
