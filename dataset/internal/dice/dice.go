// Package dice draws the random choices of the embedded corpora.
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
	hi, _ := bits.Mul64(d.next(), uint64(n)) // bias under n/2⁶⁴
	return int(hi)
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

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
