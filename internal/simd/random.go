package simd

import (
	"fmt"
	"math"
)

// Random numbers are a function of a key and a position. They do not depend on the order
// of calls. A key is derived from the seed and the name of a stream, and
// narrowed down by Hash: Hash2(key, step, review) is the key of one review in
// one step.

// golden is 2⁶⁴ divided by the golden ratio, odd.
const golden = 0x9e3779b97f4a7c15

// Key returns the key of a named stream of random numbers (FNV-1a of the name,
// mixed with the seed).
func Key(seed uint64, stream string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(stream) {
		h = (h ^ uint64(stream[i])) * 1099511628211
	}
	return Hash2(golden, seed, h)
}

// Hash1 returns the key that a narrows key down to.
func Hash1(key, a uint64) uint64 { return mix64(mix64(key+golden) ^ a) }

// Hash2 narrows key down by two words.
func Hash2(key, a, b uint64) uint64 { return Hash1(Hash1(key, a), b) }

// Hash3 narrows key down by three words.
func Hash3(key, a, b, c uint64) uint64 { return Hash1(Hash2(key, a, b), c) }

// mix64 is the finaliser of SplitMix64 (Steele, Lea and Flood 2014; Stafford's mix 13).
func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Float64 returns the i-th number of a key's uniform sequence in [0, 1), a
// multiple of 2⁻⁵³.
func Float64(key, i uint64) float64 { return float64(Hash1(key, i)>>11) * 0x1p-53 }

// Uniform fills dst with numbers that are uniform in [lo, hi], the first
// len(dst) of the key's sequence.
func Uniform(dst []float32, key uint64, lo, hi float32) {
	for i := range dst {
		u := float32(Hash1(key, uint64(i))>>40) * 0x1p-24
		dst[i] = fma(u, hi-lo, lo)
	}
}

// Normal fills dst with normally distributed numbers (Box and Muller 1958).
func Normal(dst []float32, key uint64, mean, std float32) {
	for i := 0; i < len(dst); i += 2 {
		u := 1 - Float64(key, uint64(i)) // (0, 1]: its logarithm is finite
		r := math.Sqrt(-2*Log64(u)) * float64(std)
		a := float64(2 * math.Pi * Float64(key, uint64(i)+1))
		dst[i] = float32(float64(mean) + float64(r*Cos64(a)))
		if i+1 < len(dst) {
			dst[i+1] = float32(float64(mean) + float64(r*Sin64(a)))
		}
	}
}

// Dropout sets dst[i] = x[i]/(1−p), or 0 with probability p, 0 ≤ p < 1 (Srivastava
// et al. 2014, inverted). Whether element i is kept depends only on key and i, so
// the gradient is the same of dy, without a stored mask. dst may be x.
//
// Element i is kept if a 32-bit hash of (key, i mod 2³²) is at least ⌊p·2³²⌋, and
// multiplied by 1/(1−p) rounded to float32. A dropped element is +0 even where
// x[i] is Inf or NaN.
func Dropout(dst, x []float32, key uint64, p float32) {
	checkLen("Dropout", len(dst), len(x))
	threshold, scale := dropoutConsts(p)
	// The key is mixed because the XOR with lo only permutes the indices: two keys with the same
	// upper half would give the same mask in another order.
	key = mix64(key + golden)
	lo, hi := uint32(key), uint32(key>>32)
	if level != Portable {
		dropoutVec(ptr(dst), ptr(x), len(x), lo, hi, threshold, scale)
	} else {
		for i, v := range x {
			v *= scale
			if hash32(uint32(i), lo, hi) < threshold {
				v = 0
			}
			dst[i] = v
		}
	}
}

func dropoutConsts(p float32) (threshold uint32, scale float32) {
	if !(p >= 0 && p < 1) {
		panic(fmt.Sprintf("simd.Dropout: probability %v is outside [0, 1)", p))
	}
	return uint32(float64(p) * (1 << 32)), 1 / (1 - p)
}

// hash32 mixes i with both halves of a key: two rounds of a bijective mixer with
// low bias (Wellons 2018, the constants of 2022), one half of the key before
// each.
func hash32(i, lo, hi uint32) uint32 { return mix32(mix32(i^lo) + hi) }

func mix32(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x21f0aaad
	x ^= x >> 15
	x *= 0xd35a2d97
	return x ^ x>>15
}
