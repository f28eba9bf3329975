package training

import (
	"math"
	"slices"
	"testing"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawSums draws what some steps may have given.
func drawSums(t *rapid.T) *sums {
	n := rapid.IntRange(1, 40).Draw(t, "reviews")
	positions := n
	if rapid.Bool().Draw(t, "translates") {
		positions = rapid.IntRange(2*n, 9*n).Draw(t, "positions")
	}
	sum := &sums{
		loss: rapid.Float64().Draw(t, "loss"), norm: rapid.Float64().Draw(t, "norm"), seconds: rapid.Float64().Draw(t, "seconds"),
		reviews: n, positions: positions, right: rapid.IntRange(0, positions).Draw(t, "right"), words: rapid.IntRange(0, 9999).Draw(t, "words"),
		steps: rapid.IntRange(1, n).Draw(t, "steps"),
	}
	if rapid.Bool().Draw(t, "attends") {
		sum.entropies = rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "entropies")
	}
	heads := rapid.IntRange(1, 3).Draw(t, "heads")
	for range rapid.IntRange(0, 3).Draw(t, "layers") {
		var layer []headSums
		for range heads {
			h := newHeadSums()
			for range rapid.IntRange(0, 5).Draw(t, "values") {
				h.add(rapid.Float64Range(0, 10).Draw(t, "entropy"), 9)
			}
			layer = append(layer, h)
		}
		sum.heads = append(sum.heads, layer)
	}
	return sum
}

func TestSumsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSums(t)
		var c runs.Checkpoint
		want.save(&c)
		require.Equal(t, want.steps, c.Step)
		got := must.Get(keptSums(&c, want.reviews))(t)
		if len(got.entropies) == 0 {
			got.entropies = nil
		}
		require.Equal(t, want, got)
	})
}

// What does not fit is an error, never a panic.
func TestSumsThatDoesNotFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum := drawSums(t)
		var c runs.Checkpoint
		sum.save(&c)
		require.ErrorContains(t, must.Fail(keptSums(&c, sum.reviews+1)), "reviews seen in")
		i := rapid.IntRange(0, len(c.Sums)-1).Draw(t, "tensor")
		x := &c.Sums[i]
		switch d := x.Data.(type) {
		case []float32:
			if len(d) == 0 {
				return
			}
			x.Data = d[:len(d)-1]
			if len(d) == 1 {
				return // as of a model without attention
			}
		case []float64:
			x.Data = d[1:]
		case []int64:
			x.Data = rapid.SampledFrom([]any{d[1:], append(slices.Clone(d), 1), []int64{math.MinInt64, math.MaxInt64}, []float64{1}}).Draw(t, "data")
		}
		require.Error(t, must.Fail(keptSums(&c, sum.reviews)), x.Name)
	})
}

// A clock that stands still, or is set back, gives no speed.
func TestTiming(t *testing.T) {
	for seconds, want := range map[float64]runs.Timing{
		2:  {Epoch: 3, Seconds: 2, Words: 50},
		0:  {Epoch: 3},
		-9: {Epoch: 3},
	} {
		require.Equal(t, want, (&sums{words: 100, seconds: seconds}).timing(3))
	}
}
