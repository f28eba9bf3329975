package dataset_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestShuffle(t *testing.T) {
	// Fixed for ever: a run's result depends on it.
	assert.Equal(t, []int32{1, 4, 5, 7, 0, 8, 2, 9, 6, 3}, dataset.Shuffle(10, 1, 1))
	assert.NotEqual(t, dataset.Shuffle(10, 1, 1), dataset.Shuffle(10, 1, 2))
	assert.NotEqual(t, dataset.Shuffle(10, 1, 1), dataset.Shuffle(10, 2, 1))
	assert.Empty(t, dataset.Shuffle(0, 1, 1))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		order := dataset.Shuffle(n, rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "epoch"))
		slices.Sort(order)
		for i, x := range order {
			require.EqualValues(t, i, x)
		}
		require.Len(t, order, n)
	})
}

func TestHold(t *testing.T) {
	holds(t, dataset.HoldOut)
	holds(t, dataset.HoldTogether)
}

func holds(t *testing.T, hold func(*dataset.Encoded, float64, uint64) (rest, valid *dataset.Encoded, err error)) {
	rapid.Check(t, func(t *rapid.T) {
		e := fixture.Encoded(rapid.SliceOfN(rapid.IntRange(1, 5), 0, 60).Draw(t, "lengths")...)
		fraction := rapid.Float64Range(0, 0.99).Draw(t, "fraction")
		seed := rapid.Uint64().Draw(t, "seed")
		rest, valid, err := hold(e, fraction, seed)
		all, held := [2]int{}, [2]int{}
		for _, l := range e.Labels {
			all[l]++
		}
		if slices.ContainsFunc(all[:], func(n int) bool { return n > 0 && int(fraction*float64(n)+0.5) == n }) {
			require.ErrorContains(t, err, "of a class: choose a smaller data.valid")
			return
		}
		require.NoError(t, err)
		again, _ := must.Get2(hold(e, fraction, seed))(t)
		require.Equal(t, rest, again)
		require.Equal(t, e.Len(), rest.Len()+valid.Len())
		assert.True(t, slices.IsSorted(rest.Offsets) && len(rest.Offsets) == rest.Len()+1)
		for _, l := range valid.Labels {
			held[l]++
		}
		for l := range all {
			assert.InDelta(t, fraction*float64(all[l]), held[l], 0.5001)
		}
		for _, part := range []*dataset.Encoded{rest, valid} {
			for b, name := range part.Names {
				i := slices.Index(e.Names, name)
				require.Equal(t, e.Words(i), part.Words(b))
				require.Equal(t, e.Labels[i], part.Labels[b])
			}
		}
	})
}

// Reviews with the same words are on one side, also if their labels differ.
func TestHoldKeepsEqualTextsTogether(t *testing.T) {
	for name, hold := range map[string]func(*dataset.Encoded, float64, uint64) (rest, valid *dataset.Encoded, err error){
		"scattered": dataset.HoldOut, "together": dataset.HoldTogether,
	} {
		e := fixture.Encoded(slices.Repeat([]int{3}, 600)...)
		for b := range 600 { // 150 texts, each four times, half of them with both labels
			copy(e.Words(b), []int32{int32(b % 150), 7, 9})
			e.Labels[b] = int32(b % 2)
			if b%150 < 75 && b >= 300 {
				e.Labels[b] = 1 - e.Labels[b]
			}
		}
		for seed := range uint64(20) {
			rest, valid := must.Get2(hold(e, 0.25, seed))(t)
			require.InDelta(t, 150, valid.Len(), 8, name)
			seen := map[int32]bool{}
			for b := range rest.Labels {
				seen[rest.Words(b)[0]] = true
			}
			for b := range valid.Labels {
				require.False(t, seen[valid.Words(b)[0]], "%s, seed %d", name, seed)
			}
		}
	}
	same := fixture.Encoded(slices.Repeat([]int{1}, 10)...)
	clear(same.IDs)
	require.ErrorContains(t, must.Fail2(dataset.HoldOut(same, 0.3, 1)), "equal texts stay together")
}

// Reviews held out together stand together by their names, in each class, from a place
// that the seed chooses and beyond the last on from the first.
func TestHoldTogether(t *testing.T) {
	e := fixture.Encoded(slices.Repeat([]int{1}, 60)...)
	var names [2][]string
	for b, l := range e.Labels {
		names[l] = append(names[l], e.Names[b])
	}
	starts := map[int]bool{}
	for seed := range uint64(20) {
		_, valid := must.Get2(dataset.HoldTogether(e, 0.3, seed))(t)
		for l, all := range names {
			slices.Sort(all)
			var held []string
			for b, of := range valid.Labels {
				if int(of) == l {
					held = append(held, valid.Names[b])
				}
			}
			first := slices.IndexFunc(all, func(n string) bool { // whose one before is not held
				i := slices.Index(all, n)
				return slices.Contains(held, n) && !slices.Contains(held, all[(i+len(all)-1)%len(all)])
			})
			require.GreaterOrEqual(t, first, 0)
			starts[first] = true
			for i := range held {
				require.Contains(t, held, all[(first+i)%len(all)])
			}
		}
	}
	require.Greater(t, len(starts), 5)
}

// What is drawn has each class by its part, keeps order and content, and grows by adding.
func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := fixture.Encoded(rapid.SliceOfN(rapid.IntRange(1, 5), 1, 60).Draw(t, "lengths")...)
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(0, e.Len()).Draw(t, "n")
		some := dataset.Sample(e, n, seed)
		require.Equal(t, n, some.Len())
		all, drawn := [2]int{}, [2]int{}
		for _, l := range e.Labels {
			all[l]++
		}
		last := -1
		for b, name := range some.Names {
			i := slices.Index(e.Names, name)
			require.Greater(t, i, last, "in their order")
			last = i
			require.Equal(t, e.Words(i), some.Words(b))
			require.Equal(t, e.Labels[i], some.Labels[b])
			drawn[some.Labels[b]]++
		}
		for l := range all {
			assert.InDelta(t, float64(n*all[l])/float64(e.Len()), drawn[l], 1)
		}
		more := dataset.Sample(e, rapid.IntRange(n, e.Len()).Draw(t, "more"), seed)
		for _, name := range some.Names {
			require.Contains(t, more.Names, name)
		}
	})
	e := fixture.Encoded(slices.Repeat([]int{2}, 40)...)
	one := dataset.Sample(e, 10, 1)
	other := dataset.Sample(e, 10, 2)
	require.NotEqual(t, one.Names, other.Names)
}

func TestPack(t *testing.T) {
	e := fixture.Encoded(2, 5, 3, 5, 1)
	var b ragged.Batch
	dataset.Pack(e, []int32{4, 3, 1}, &b)
	assert.Equal(t, ragged.Batch{
		IDs:     []int32{100, 101, 102, 103, 104, 300, 301, 302, 303, 304, 400},
		Offsets: []int{0, 5, 10, 11},
		Reviews: []int32{1, 3, 4},
		Labels:  []int32{1, 1, 0},
		Order:   []int32{2, 1, 0},
	}, b)
	dataset.Pack(e, []int32{0, 2}, &b)
	assert.Equal(t, []int32{2, 0}, b.Reviews)
	assert.Equal(t, []int32{1, 0}, b.Order)
	assert.Equal(t, 5, b.Words())
	assert.Equal(t, []int32{1, 3, 2, 0, 4}, dataset.ByLength(e))
}

func TestPackAllocatesOnce(t *testing.T) {
	var lengths []int
	for i := range 200 {
		lengths = append(lengths, 1+i*37%90)
	}
	e, order := fixture.Encoded(lengths...), dataset.Shuffle(200, 1, 0)
	var b ragged.Batch
	i := 0
	pack := func() {
		dataset.Pack(e, order[i*16:min((i+1)*16, 200)], &b)
		i = (i + 1) % 13
	}
	for range 13 {
		pack()
	}
	assert.Zero(t, testing.AllocsPerRun(50, pack))
}

func TestPackKeepsReviews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := fixture.Encoded(rapid.SliceOfN(rapid.IntRange(1, 9), 0, 50).Draw(t, "lengths")...)
		size := rapid.IntRange(1, 20).Draw(t, "size")
		var seen []int32
		var b ragged.Batch
		for reviews := range slices.Chunk(dataset.Shuffle(e.Len(), 1, 1), size) {
			dataset.Pack(e, reviews, &b)
			seen = append(seen, b.Reviews...)
			for j, r := range b.Reviews {
				require.Equal(t, r, reviews[b.Order[j]])
				require.Equal(t, e.Words(int(r)), b.IDs[b.Offsets[j]:b.Offsets[j+1]])
				require.Equal(t, e.Labels[r], b.Labels[j])
				if j > 0 {
					require.LessOrEqual(t, len(e.Words(int(r))), len(e.Words(int(b.Reviews[j-1]))))
				}
			}
		}
		slices.Sort(seen)
		require.Len(t, seen, e.Len())
		require.Equal(t, e.Len(), len(slices.Compact(seen)))
	})
}
