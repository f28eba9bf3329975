package stats_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
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

// truth is the difference of the mean accuracies over all things and seeds.
func (w world) truth() float64 {
	spread, difference, weight := math.Hypot(w.hardness, w.seeds), 0.0, 0.0
	for z := -8.0; z <= 8; z += 0.01 {
		density := math.Exp(-z * z / 2)
		difference += density * (1/(1+math.Exp(spread*z-w.second)) - 1/(1+math.Exp(spread*z-w.first)))
		weight += density
	}
	return difference / weight
}

// The 95 % interval holds the truth 95 times in a hundred or somewhat more often: with
// few things and many, few seeds, paired or not, with a spread of the seeds above that
// of the things or none, and whether or not there is a difference. Of two or three paired
// seeds whose spread is nearly all of the variance it falls as short as Bootstrap says.
func TestBootstrapCoverage(t *testing.T) {
	for _, c := range []struct {
		things, seeds  int
		spread, second float64
		paired         bool
		least          float64 // 0: 0.95
	}{
		{things: 40, seeds: 1, second: 1},
		{things: 40, seeds: 3, second: 1.5, paired: true},
		{things: 300, seeds: 1, second: 1},
		{things: 300, seeds: 3, second: 1},
		{things: 300, seeds: 3, second: 1, spread: 0.2},
		{things: 300, seeds: 3, second: 1.5, spread: 0.2, paired: true},
		{things: 300, seeds: 5, second: 1.5, spread: 0.2},
		{things: 3000, seeds: 2, second: 1, spread: 0.1, paired: true, least: 0.93},
		{things: 300, seeds: 2, second: 1, spread: 1, paired: true, least: 0.88},
		{things: 300, seeds: 3, second: 1, spread: 1, paired: true, least: 0.935},
		{things: 3000, seeds: 3, second: 3, spread: 0.1},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		w := world{things: c.things, first: 1, second: c.second, hardness: 1, seeds: c.spread}
		truth := w.truth()
		const worlds = 400
		held := 0
		for i := range worlds {
			a, b := w.draw(r, c.seeds)
			e, err := stats.Bootstrap(a, b, stats.Options{Seed: uint64(i), Resamples: 399, Paired: c.paired})
			require.NoError(t, err)
			require.Equal(t, e.Interval.Holds(0), e.P >= 1-stats.Level)
			if e.Interval.Holds(truth) {
				held++
			}
		}
		assert.Greater(t, float64(held)/worlds, cmp.Or(c.least, 0.95)-3*monteCarlo(worlds), "%+v", c)
	}
}

// Of three pairs of seeds, without a difference, p is hardly more often small than it says:
// what Holm's correction goes by. By counted draws alone it is twice as often.
func TestBootstrapTail(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	w := world{things: 300, first: 1, second: 1, hardness: 1, seeds: 1}
	const worlds = 1500
	small := 0
	for i := range worlds {
		a, b := w.draw(r, 3)
		e, err := stats.Bootstrap(a, b, stats.Options{Seed: uint64(i), Resamples: 399, Paired: true})
		require.NoError(t, err)
		if e.P < 0.0051 { // of 399 draws none has 0.005
			small++
		}
	}
	t.Logf("p < 0.005 in %d of %d", small, worlds)
	assert.Less(t, float64(small)/worlds, 0.02+3*math.Sqrt(0.02*0.98/worlds))
}

// monteCarlo is the standard error of a coverage of 95 % over so many draws.
func monteCarlo(draws float64) float64 { return math.Sqrt(0.95 * 0.05 / draws) }

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
	formula, err := stats.Paired(5000, only[0], only[1])
	require.NoError(t, err)
	assert.InDelta(t, formula.Difference, e.Difference, 1e-12)
	assert.InDelta(t, formula.Interval.Low, e.Interval.Low, 0.001)
	assert.InDelta(t, formula.Interval.High, e.Interval.High, 0.001)
	assert.InDelta(t, formula.P, e.P, 0.02)
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
		o := stats.Options{Seed: rapid.Uint64().Draw(t, "seed"), Resamples: rapid.IntRange(1, 250).Draw(t, "resamples"), Paired: len(a) == len(b)}
		e, err := stats.Bootstrap(a, b, o)
		require.NoError(t, err)
		again, err := stats.Bootstrap(a, b, o)
		require.NoError(t, err)
		require.Equal(t, e, again, "the same seed, the same numbers")
		require.True(t, e.Interval.Low <= e.Interval.High && e.P > 0 && e.P <= 1)
		require.Equal(t, e.Interval.Holds(0), e.P >= 1-stats.Level, "interval and p agree")
		if !reflect.DeepEqual(a, b) {
			mirrored, err := stats.Bootstrap(b, a, o)
			require.NoError(t, err)
			require.Equal(t, e, stats.Estimate{Difference: -mirrored.Difference, Interval: mirrored.Interval.Negative(), P: mirrored.P})
		}
		same, err := stats.Bootstrap(a, a, stats.Options{Paired: true, Resamples: 40})
		require.NoError(t, err)
		require.Equal(t, stats.Estimate{P: 1}, same, "nothing differs from itself")
	})
}

// Things that only the second side gets right never speak against it.
func TestBootstrapMonotony(t *testing.T) {
	before := stats.Estimate{P: 2, Interval: stats.Interval{Low: -1}}
	for gained := range 12 {
		a, b := make([]bool, 60), make([]bool, 60)
		for i := range a {
			a[i] = i%3 == 0
			b[i] = a[i] || i%3 == 1 && i/3 < gained
		}
		e, err := stats.Bootstrap(stats.Outcomes{a}, stats.Outcomes{b}, stats.Options{})
		require.NoError(t, err)
		require.True(t, e.P < before.P || e.P < 0.01)
		require.LessOrEqual(t, e.P, before.P)
		require.GreaterOrEqual(t, e.Interval.Low, before.Interval.Low)
		before = e
	}
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
