package dice_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/internal/dice"
)

// Fixed for ever: the embedded corpora depend on it.
func TestDice(t *testing.T) {
	d := dice.New(1, 2)
	var drawn []int
	for range 8 {
		drawn = append(drawn, d.Below(100))
	}
	assert.Equal(t, []int{29, 44, 63, 86, 80, 84, 57, 70}, drawn)
	again := dice.New(1, 2)
	assert.Equal(t, drawn[0], again.Below(100))
	assert.NotEqual(t, drawn[0], dice.New(2, 1).Below(100), "the order of a key counts")
}

func TestFair(t *testing.T) {
	var counts [5]int
	heads := 0
	order := []int{0, 1, 2, 3, 4}
	for seed := range uint64(20000) {
		d := dice.New(seed)
		counts[dice.Pick(d, order)]++
		if d.Chance(30) {
			heads++
		}
		shuffled := slices.Clone(order)
		d.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		slices.Sort(shuffled)
		assert.Equal(t, order, shuffled)
	}
	for _, n := range counts {
		assert.InDelta(t, 4000, n, 300) // more than five standard deviations
	}
	assert.InDelta(t, 6000, heads, 350)
}
