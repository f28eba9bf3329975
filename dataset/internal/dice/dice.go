// Package dice draws random numbers that are a function of a key and nothing else: no
// generator has a state that the order of calls could change.
package dice

import "math/bits"

// Dice draws numbers that depend on nothing but their key and how many were drawn:
// SplitMix64 (Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number
// Generators), so that each text can be written without those before it.
type Dice struct{ key, drawn uint64 }

const golden = 0x9e3779b97f4a7c15

// New keys a sequence by any number of coordinates.
func New(coordinates ...uint64) *Dice {
	var key uint64
	for _, c := range coordinates {
		key = mix(key ^ mix(c+golden))
	}
	return &Dice{key: key}
}

func (d *Dice) next() uint64 {
	d.drawn++
	return mix(d.key + d.drawn*golden)
}

// Below returns a whole number in [0, n).
func (d *Dice) Below(n int) int {
	return Below(d.next(), n)
}

// Chance is true in percent of 100 draws.
func (d *Dice) Chance(percent int) bool { return d.Below(100) < percent }

// Pick returns one of some things.
func Pick[T any](d *Dice, of []T) T { return of[d.Below(len(of))] }

// Shuffle orders n things by Fisher and Yates.
func (d *Dice) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, d.Below(i+1))
	}
}

// Hash turns numbers into one that looks random.
func Hash(key ...uint64) (h uint64) {
	for _, k := range key {
		h = mix(h + k + golden)
	}
	return h
}

// Name turns a name into a part of a key (FNV-1a).
func Name(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// Below maps a random number to 0 … n−1. Its bias, n/2⁶⁴, is beyond notice.
func Below(r uint64, n int) int {
	hi, _ := bits.Mul64(r, uint64(n))
	return int(hi)
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
