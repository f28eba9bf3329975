package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/report/stats"
)

// world draws runs whose true mean accuracies are known: things differ in how hard
// they are, seeds in how good they are.
type world struct {
	things          int
	first, second   float64 // mean log-odds
	hardness, seeds float64 // spreads of the log-odds
}

func (w world) draw(r *rand.Rand, k int) (first, second stats.Outcomes) {
	hard := make([]float64, w.things)
	for i := range hard {
		hard[i] = w.hardness * r.NormFloat64()
	}
	side := func(mean float64) (out stats.Outcomes) {
		for range k {
			m := mean + w.seeds*r.NormFloat64()
			run := make([]bool, w.things)
			for i := range run {
				run[i] = r.Float64() < 1/(1+math.Exp(hard[i]-m))
			}
			out = append(out, run)
		}
		return out
	}
	return side(w.first), side(w.second)
}

// The 95 % interval holds the truth about 95 times in a hundred, with few seeds and
// with a spread of the seeds above that of the things or none.
func TestBootstrapCoverage(t *testing.T) {
	for _, c := range []struct {
		name   string
		seeds  int
		spread float64
	}{
		{"one seed, no spread", 1, 0},
		{"three seeds, no spread", 3, 0},
		{"three seeds, spread", 3, 0.2},
		{"five seeds, spread", 5, 0.2},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		const worlds = 120
		held := 0
		for i := range worlds {
			w := world{things: 300, first: 1, second: 1, hardness: 1, seeds: c.spread} // no difference
			a, b := w.draw(r, c.seeds)
			e, err := stats.Bootstrap(a, b, stats.Options{Seed: uint64(i), Resamples: 300})
			require.NoError(t, err)
			if e.Interval.Holds(0) {
				held++
			}
		}
		assert.Greater(t, float64(held)/worlds, 0.9, c.name)
	}
}

// With one run a side the spread of the resamples is that of the formula.
func TestBootstrapOfTwoRuns(t *testing.T) {
	a, b := world{things: 5000, first: 1, second: 1.2, hardness: 1}.draw(rand.New(rand.NewPCG(3, 4)), 1)
	e, err := stats.Bootstrap(a, b, stats.Options{})
	require.NoError(t, err)
	only := [2]int{}
	for i := range a[0] {
		if a[0][i] != b[0][i] {
			if a[0][i] {
				only[0]++
			} else {
				only[1]++
			}
		}
	}
	d, interval, err := stats.Paired(5000, only[0], only[1])
	require.NoError(t, err)
	assert.InDelta(t, d, e.Difference, 1e-12)
	assert.InDelta(t, interval.Low, e.Interval.Low, 0.001)
	assert.InDelta(t, interval.High, e.Interval.High, 0.001)
	m, err := stats.McNemar(only[0], only[1])
	require.NoError(t, err)
	assert.InDelta(t, m.P, e.P, 0.02)
}

func TestBootstrapErrors(t *testing.T) {
	two := stats.Outcomes{{true}, {false}}
	for _, c := range []struct {
		a, b   stats.Outcomes
		paired bool
	}{{nil, two, false}, {two, nil, false}, {stats.Outcomes{{}}, two, false}, {two, stats.Outcomes{{true, true}}, false}, {two, two[:1], true}} {
		_, err := stats.Bootstrap(c.a, c.b, stats.Options{Paired: c.paired})
		require.Error(t, err)
	}
}

func outcomes(t *rapid.T, name string, things int) stats.Outcomes {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Bool(), things, things), 1, 10).Draw(t, name)
}

func TestBootstrapProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "things")
		a, b := outcomes(t, "first", n), outcomes(t, "second", n)
		o := stats.Options{Seed: rapid.Uint64().Draw(t, "seed"), Resamples: 50, Paired: len(a) == len(b)}
		e, err := stats.Bootstrap(a, b, o)
		require.NoError(t, err)
		again, err := stats.Bootstrap(a, b, o)
		require.NoError(t, err)
		require.Equal(t, e, again, "the same seed, the same numbers")
		require.True(t, e.Interval.Low <= e.Interval.High && e.P > 0 && e.P <= 1)
		same, err := stats.Bootstrap(a, a, stats.Options{Paired: true, Resamples: 20})
		require.NoError(t, err)
		require.Equal(t, stats.Estimate{P: 1}, same, "nothing differs from itself")
	})
}

// 10 000 resamples of 25 000 things and five seeds a side.
func BenchmarkBootstrap(b *testing.B) {
	first, second := world{things: 25000, first: 1.5, second: 1.6, hardness: 1, seeds: 0.1}.draw(rand.New(rand.NewPCG(5, 6)), 5)
	for _, paired := range []bool{true, false} {
		b.Run(map[bool]string{true: "paired", false: "unpaired"}[paired], func(b *testing.B) {
			for b.Loop() {
				_, err := stats.Bootstrap(first, second, stats.Options{Paired: paired})
				require.NoError(b, err)
			}
		})
	}
}
