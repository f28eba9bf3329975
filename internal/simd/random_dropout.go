package simd

import "fmt"

// Dropout sets dst[i] = x[i]/(1−p), or 0 with probability p, 0 ≤ p < 1 (Srivastava
// et al. 2014, inverted). Whether element i is kept depends only on key and i, so
// DropoutGrad needs no stored mask. dst may be x.
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

// DropoutGrad is the gradient of Dropout with the same key and p: the same
// elements of dy, scaled alike. dst may be dy.
func DropoutGrad(dst, dy []float32, key uint64, p float32) { Dropout(dst, dy, key, p) }

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
