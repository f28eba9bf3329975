package dataset

import (
	"math/bits"
)

// Random numbers here are a function of a key and nothing else: no generator
// has a state that the order of calls could change.

// mix hashes numbers to one that looks random: each is added to the state,
// which then passes through the finaliser of SplitMix64 (Steele et al. 2014).
func mix(key ...uint64) uint64 {
	h := uint64(0)
	for _, k := range key {
		h += k + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// keyOf turns a name into a part of a key (FNV-1a).
func keyOf(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// below maps a random number to 0 … n−1. Its bias, n/2⁶⁴, is beyond notice.
func below(r uint64, n int) int {
	hi, _ := bits.Mul64(r, uint64(n))
	return int(hi)
}

// Shuffle returns 0 … n−1 in an order that depends on seed and epoch alone.
func Shuffle(n int, seed, epoch uint64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	stream := mix(seed, keyOf("shuffle"), epoch)
	for i := n - 1; i > 0; i-- { // Fisher and Yates
		j := below(mix(stream, uint64(i)), i+1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
