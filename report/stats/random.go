package stats

import (
	"math"
	"math/rand/v2"
)

// stream is a counter-based source of random numbers: the i-th is a function of
// key and i (SplitMix64 of both; Steele, Lea and Flood 2014). Each resample has its own
// stream, so resamples do not depend on their order.
type stream struct{ key, i uint64 }

const golden = 0x9e3779b97f4a7c15

// Uint64 implements rand.Source.
func (s *stream) Uint64() uint64 {
	s.i++
	return mix(mix(s.key+golden) ^ s.i)
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// random returns the generator of one resample.
func random(seed uint64, resample int) *rand.Rand {
	return rand.New(&stream{key: mix(seed+golden) ^ uint64(resample)})
}

// inversionBelow is the mean below which binomial uses inversion. Above it, rejection
// takes about 1.2 tries for any n.
const inversionBelow = 10

// binomial samples the number of hits in n trials of probability p from the exact
// distribution: by inversion for small means, else by transformed rejection
// (Hörmann 1993, "The generation of binomial random variates", algorithm BTRS).
func binomial(r *rand.Rand, n int, p float64) int {
	switch {
	case n <= 0 || p <= 0:
		return 0
	case p >= 1:
		return n
	case p > 0.5:
		return n - binomial(r, n, 1-p)
	case float64(n)*p < inversionBelow:
		return invert(r, n, p)
	}
	return reject(r, n, p)
}

// invert walks up the distribution from 0 until it covers a uniform number.
func invert(r *rand.Rand, n int, p float64) int {
	odds := p / (1 - p)
	f, u := math.Exp(float64(n)*math.Log1p(-p)), r.Float64()
	k := 0
	for ; u >= f && k < n; k++ {
		u -= f
		f *= odds * float64(n-k) / float64(k+1)
	}
	return k
}

// reject draws from a hat of simple shape until a draw falls under the
// distribution; most do within the first lines.
func reject(r *rand.Rand, n int, p float64) int {
	size, odds := float64(n), p/(1-p)
	spread := math.Sqrt(size * p * (1 - p))
	b := 1.15 + 2.53*spread
	a := -0.0873 + 0.0248*b + 0.01*p
	c := size*p + 0.5
	alpha := (2.83 + 5.1/b) * spread
	inside := 0.92 - 4.2/b
	mode := math.Floor((size + 1) * p)
	for {
		u, v := r.Float64()-0.5, r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + c)
		if us >= 0.07 && v <= inside {
			return int(k)
		}
		if k < 0 || k > size {
			continue
		}
		v = math.Log(v * alpha / (a/(us*us) + b))
		if v <= logFactorial(mode)+logFactorial(size-mode)-logFactorial(k)-logFactorial(size-k)+(k-mode)*math.Log(odds) {
			return int(k)
		}
	}
}

func logFactorial(k float64) float64 {
	f, _ := math.Lgamma(k + 1)
	return f
}
