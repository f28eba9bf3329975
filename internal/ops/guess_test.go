package ops_test

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// hiddenShare of the words is more than models hide: the batches of tests are small.
const hiddenShare = 0.4

func refHides(review int32, position int) (bool, uint64) {
	key := simd.Hash3(simd.Key(seed, "hide"), step, uint64(review), uint64(position))
	share := float32(hiddenShare)
	return float64(key>>40) < float64(share)*(1<<24), key
}

// refGuess spells out the guesses of one row after another.
func refGuess(b *ragged.Batch, q, x, u mat64, o ops.Guessing) []mat64 {
	mean, each, made, hits := newMat64(1, 1), newMat64(b.Len(), 1), newMat64(b.Len(), 1), newMat64(b.Len(), 1)
	dot := func(i, j int) (sum float64) {
		for c := range q.cols {
			v := x.row(j)[c]
			if id := int(b.IDs[j]); id < u.rows {
				v += u.row(id)[c]
			}
			sum += q.row(i)[c] * v
		}
		return sum
	}
	for r, review := range b.Reviews {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			to := map[ops.Guess]int{ops.NextWord: i + 1, ops.WordBefore: i - 1, ops.HiddenWord: i}[o.Which]
			if hidden, _ := refHides(review, i-b.Offsets[r]); o.Which == ops.HiddenWord && !hidden {
				continue
			}
			if to < b.Offsets[r] || to >= b.Offsets[r+1] || b.IDs[to] == o.Unknown {
				continue
			}
			right, sum, first := dot(i, to), 1.0, 1.0
			for k := range o.Others {
				other := int(simd.Hash2(simd.Key(seed, "others"), step, uint64(k)) % uint64(len(b.IDs)))
				if b.IDs[other] == b.IDs[to] {
					continue
				}
				if s := dot(i, other); s >= right {
					first = 0
				}
				sum += math.Exp(dot(i, other) - right)
			}
			each.at[r] += math.Log(sum)
			made.at[r]++
			hits.at[r] += first
		}
		mean.at[0] += each.at[r]
	}
	all := 0.0
	for _, n := range made.at {
		all += n
	}
	mean.at[0] /= max(all, 1)
	return []mat64{mean, each, made, hits}
}

func guessCase(name string, o ops.Guessing) opCase {
	return opCase{name, []input{{onWords, 0, 5}, {onWords, 0, 5}, {onWeights, 4, 5}}, 1,
		func(in []*ops.Node) []*ops.Node {
			r := ops.GuessWords(in[0], in[1], in[2], o)
			return []*ops.Node{r.Mean, r.Each, r.Made, r.Hits}
		},
		func(b *ragged.Batch, in []mat64) []mat64 { return refGuess(b, in[0], in[1], in[2], o) }}
}

var guessCases = []opCase{
	guessCase("guess the next word", ops.Guessing{Others: 4, Unknown: -1}),
	guessCase("guess the word before, of those with a vector", ops.Guessing{Which: ops.WordBefore, Others: 3, Unknown: 2}),
	guessCase("guess a hidden word", ops.Guessing{Which: ops.HiddenWord, Others: 150, Unknown: -1, Hidden: hiddenShare}),
	one("hide", []input{{onWords, 0, 5}, {onWeights, 1, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Hide(in[0], in[1], hiddenShare) },
		func(b *ragged.Batch, in []mat64) mat64 {
			y := newMat64(in[0].rows, 5)
			for r, review := range b.Reviews {
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					from := in[0].row(i)
					hidden, key := refHides(review, i-b.Offsets[r])
					key = simd.Hash1(key, 1)
					if other := key >> 32 % 10; hidden && other == 8 {
						from = in[0].row(int(key % (1 << 32) % uint64(b.Words())))
					} else if hidden && other < 8 {
						from = in[1].row(0)
					}
					copy(y.row(i), from)
				}
			}
			return y
		}),
}
