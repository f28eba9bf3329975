package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// Draws follow the binomial distribution: the chi-square of their counts is not
// extreme, below and above where the method changes.
func TestBinomialDraws(t *testing.T) {
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.3}, {20, 0.25}, {100, 0.09}, {40, 0.5}, {400, 0.04}, {1000, 0.7}, {25000, 0.001}} {
		const draws = 40000
		r := random(7, c.n)
		counts := map[int]int{}
		for range draws {
			counts[binomial(r, c.n, c.p)]++
		}
		d := distuv.Binomial{N: float64(c.n), P: c.p}
		chi, cells, rest, seen := 0.0, 0, draws*1.0, 0
		for k := 0; k <= c.n; k++ {
			want := draws * d.Prob(float64(k))
			if want < 20 {
				continue // joined below
			}
			diff := float64(counts[k]) - want
			chi += diff * diff / want
			cells++
			rest -= want
			seen += counts[k]
		}
		if rest > 5 {
			diff := float64(draws-seen) - rest
			chi += diff * diff / rest
			cells++
		}
		p := distuv.ChiSquared{K: float64(cells - 1)}.Survival(chi)
		assert.True(t, p > 0.001, "n=%d p=%g: chi-square %.1f over %d cells, p=%.2g", c.n, c.p, chi, cells, p)
	}
	r := random(1, 1)
	assert.Equal(t, []int{0, 5, 0, 0}, []int{binomial(r, 5, 0), binomial(r, 5, 1), binomial(r, 0, 0.5), binomial(r, -1, 0.5)})
}

// A resample is distributed as if every thing had been drawn: its mean and spread
// are those of drawing them one by one.
func TestResampleLikeDrawingEach(t *testing.T) {
	first := Outcomes{{true, true, false, false, true, false, true, true}, {true, false, false, true, true, false, true, true}, {false, true, true, false, true, true, false, true}}
	second := Outcomes{{true, true, true, false, true, true, true, true}, {false, true, true, false, true, true, false, true}, {true, true, false, true, false, true, true, true}}
	for _, paired := range []bool{true, false} {
		p := newPatterns(first, second)
		const draws = 10000
		quick, slow := make([]float64, draws), make([]float64, draws)
		for i := range draws {
			quick[i] = p.resample(random(1, i), paired)
			r := random(2, i)
			a, m := drawSeeds(r, 3)
			b := a
			if !paired {
				b, _ = drawSeeds(r, 3)
			}
			for range 8 {
				thing := r.IntN(8)
				for s := range 3 {
					slow[i] += (float64(b[s]*one(second[s][thing])) - float64(a[s]*one(first[s][thing]))) / float64(8*m)
				}
			}
		}
		m1, v1 := moments(quick)
		m2, v2 := moments(slow)
		se := math.Sqrt((v1 + v2) / draws)
		require.InDelta(t, m2, m1, 4*se)
		require.InEpsilon(t, v2, v1, 0.08)
		d := mean(second) - mean(first)
		require.InDelta(t, d, m1, 4*se, "resamples lie about the estimate")
	}
}

func TestStreamsAreRepeatable(t *testing.T) {
	draw := func(seed uint64, i int) uint64 { return random(seed, i).Uint64() }
	assert.Equal(t, draw(1, 2), draw(1, 2))
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		for i := range 10 {
			seen[draw(seed, i)] = true
		}
	}
	assert.Len(t, seen, 100)
}
