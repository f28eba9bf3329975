package sample

import "math/bits"

// dice draws numbers that depend on nothing but its key and how many were drawn:
// SplitMix64 (Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number
// Generators), so that each review can be written without those before it.
type dice struct{ key, drawn uint64 }

const golden = 0x9e3779b97f4a7c15

// newDice keys a sequence by any number of coordinates.
func newDice(coordinates ...uint64) *dice {
	var key uint64
	for _, c := range coordinates {
		key = mix(key ^ mix(c+golden))
	}
	return &dice{key: key}
}

func (d *dice) next() uint64 {
	d.drawn++
	return mix(d.key + d.drawn*golden)
}

// below returns a whole number in [0, n).
func (d *dice) below(n int) int {
	hi, _ := bits.Mul64(d.next(), uint64(n)) // bias under n/2⁶⁴
	return int(hi)
}

// chance is true in percent of 100 draws.
func (d *dice) chance(percent int) bool { return d.below(100) < percent }

func (d *dice) pick(words []string) string { return words[d.below(len(words))] }

// shuffle orders n things by Fisher and Yates.
func (d *dice) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, d.below(i+1))
	}
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
