package report_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
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
	hard := make([]float64, w.things) // odds, not their logarithms: an exponential for each answer would take long
	for i := range hard {
		hard[i] = math.Exp(w.hardness * r.NormFloat64())
	}
	side := func(mean float64) (out stats.Outcomes) {
		for range k {
			m := math.Exp(-mean - w.seeds*r.NormFloat64())
			run := make([]bool, w.things)
			for i := range run {
				run[i] = r.Float64()*(1+hard[i]*m) < 1
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

// coverage simulates worlds and returns how often the interval holds the true difference.
func (w world) coverage(t testing.TB, worlds, seeds int, paired bool) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	truth, held := w.truth(), 0
	for range worlds {
		a, b := w.draw(r, seeds)
		e := must.Get(stats.Crossed(a, b, paired))(t)
		require.Equal(t, e.Interval.Holds(0), e.P >= 1-stats.Level)
		if e.Interval.Holds(truth) {
			held++
		}
	}
	return float64(held) / float64(worlds)
}

// simulations returns how many worlds a test simulates: a third, or all in .ci/run.
func simulations(all int) int {
	if os.Getenv("EXP_CI") == "" {
		return all / 3
	}
	return all
}

// The 95 % interval holds the truth about 95 times in a hundred: on both sides, with few reviews
// and many, few seeds, paired or not, with no variance of the seeds and with hardly any other.
// EXP_LONG=1 simulates more, and prints the table of docs/results/statistics.md with -v.
func TestCrossedCoverage(t *testing.T) {
	worlds, reviews := simulations(300), []int{200, 800}
	if os.Getenv("EXP_LONG") != "" {
		worlds, reviews = 1000, []int{200, 2000, 25000}
	}
	slack := 3 * math.Sqrt(0.95*0.05/float64(worlds))
	for _, n := range reviews {
		for _, seeds := range []int{1, 2, 3, 5, 10} {
			for _, spread := range []float64{0, 0.05, 0.2, 1} {
				if seeds == 1 && spread > 0 || n*seeds > 100_000 && spread == 0.2 || n == 800 && os.Getenv("EXP_CI") == "" {
					continue
				}
				for _, paired := range []bool{false, true} {
					w := world{things: n, first: 1.5, second: 1.5, hardness: 2, seeds: spread}
					held := w.coverage(t, worlds, seeds, paired)
					t.Logf("| %d | %d | %g | %v | %.1f |", n, seeds, spread, paired, 100*held)
					low, high := 0.935, 0.975
					if seeds == 2 {
						low, high = 0.945, 0.995
					}
					assert.Greater(t, held, low-slack, "%+v seeds=%d paired=%v", w, seeds, paired)
					assert.Less(t, held, high+slack, "%+v seeds=%d paired=%v", w, seeds, paired)
				}
			}
		}
	}
}

// With one run a side the interval is nearly that of the formula for two runs.
func TestCrossedOfTwoRuns(t *testing.T) {
	a, b := world{things: 5000, first: 1, second: 1.2, hardness: 1}.draw(rand.New(rand.NewPCG(3, 4)), 1)
	e := must.Get(stats.Crossed(a, b, false))(t)
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
	formula := stats.Paired(5000, only[0], only[1])
	assert.InDelta(t, formula.Difference, e.Difference, 1e-12)
	assert.InDelta(t, formula.Interval.Low, e.Interval.Low, 0.001)
	assert.InDelta(t, formula.Interval.High, e.Interval.High, 0.001)
	assert.InDelta(t, formula.P, e.P, 0.02)
}

func TestCrossedErrors(t *testing.T) {
	two := stats.Outcomes{{true}, {false}}
	for _, c := range []struct {
		a, b   stats.Outcomes
		paired bool
	}{{nil, two, false}, {two, nil, false}, {stats.Outcomes{{}}, two, false}, {two, stats.Outcomes{{true, true}}, false}, {two, two[:1], true}} {
		require.Error(t, must.Fail(stats.Crossed(c.a, c.b, c.paired)))
	}
}

func outcomes(t *rapid.T, name string, things int) stats.Outcomes {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Bool(), things, things), 1, 10).Draw(t, name)
}

func TestCrossedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "things")
		a, b := outcomes(t, "first", n), outcomes(t, "second", n)
		paired := len(a) == len(b)
		e := must.Get(stats.Crossed(a, b, paired))(t)
		require.True(t, e.Interval.Low <= e.Interval.High && e.P > 0 && e.P <= 1)
		require.Equal(t, e.Interval.Holds(0), e.P >= 1-stats.Level, "interval and p agree")
		mirrored := must.Get(stats.Crossed(b, a, paired))(t)
		require.InDelta(t, e.Difference, -mirrored.Difference, 1e-12)
		require.InDelta(t, e.P, mirrored.P, 1e-9)
		require.InDelta(t, e.Interval.Low, -mirrored.Interval.High, 1e-9)
		same := must.Get(stats.Crossed(a, a, true))(t)
		require.Equal(t, stats.Estimate{P: 1}, same, "nothing differs from itself")
	})
}

// The variance is that of the textbook: a two-way table with known mean squares.
func TestCrossedByHand(t *testing.T) {
	// Differences of three pairs on four items: rows 1 0 0 1, 1 1 0 0, 1 0 0 1.
	first := stats.Outcomes{{false, false, false, false}, {false, false, false, false}, {false, false, false, false}}
	second := stats.Outcomes{{true, false, false, true}, {true, true, false, false}, {true, false, false, true}}
	e := must.Get(stats.Crossed(first, second, true))(t)
	require.InDelta(t, 0.5, e.Difference, 1e-12)
	// MI = 5/9, MS = 0, MR = 2/9: half² = t₃²·(MI − MR)/12 + t₃²·MR/12 = t₃²·MI/12
	require.InDelta(t, 3.182446305*math.Sqrt(5./9/12), e.Difference-e.Interval.Low, 1e-6)
}

// By hand: the variance of 0.1, 0.2 and 0.3 is 0.01, so t = 0.2/√((1/3 + 1/4)·0.01) = 2.618615; with
// two degrees of freedom p = 1 − t/√(2 + t²), and 4.302653 is the quantile of the interval.
func TestResampled(t *testing.T) {
	e := must.Get(stats.Resampled([]float64{0.1, 0.2, 0.3}, 0.25))(t)
	assert.InDelta(t, 0.2, e.Difference, 1e-12)
	assert.InDelta(t, 0.120117, e.P, 1e-6)
	assert.InDelta(t, 0.2-0.328621, e.Interval.Low, 1e-6)
	assert.InDelta(t, 0.2+0.328621, e.Interval.High, 1e-6)

	// More divisions of the same data do not narrow it to nothing: 0.25·σ² is left.
	many := make([]float64, 10000)
	for i := range many {
		many[i] = 0.2 + 0.1*float64(1-2*(i%2))
	}
	e = must.Get(stats.Resampled(many, 0.25))(t)
	assert.InDelta(t, 1.96*0.05, e.Interval.High-e.Difference, 1e-3)

	assert.Equal(t, stats.Estimate{P: 1}, must.Get(stats.Resampled([]float64{0, 0}, 0.25))(t))
	for _, values := range [][]float64{nil, {0.1}, {0.1, 0.1}} {
		require.Error(t, must.Fail(stats.Resampled(values, 0.25)))
	}
}
