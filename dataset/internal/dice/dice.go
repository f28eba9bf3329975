// Package dice gives random numbers that are a function of a key and nothing else: no
// generator has a state that the order of calls could change.
package dice

import (
	"hash/fnv"
	"math/bits"
)

const golden = 0x9e3779b97f4a7c15

// Hash turns numbers into one that looks random.
func Hash(key ...uint64) (h uint64) {
	for _, k := range key {
		h = mix(h + k + golden)
	}
	return h
}

// Name turns a name into a part of a key.
func Name(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// Below maps a random number to 0 … n−1. Its bias, n/2⁶⁴, is beyond notice.
func Below(r uint64, n int) int {
	hi, _ := bits.Mul64(r, uint64(n))
	return int(hi)
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
