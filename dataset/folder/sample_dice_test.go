package folder_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/internal/dice"
)

// Fixed for ever: which reviews are held out depends on it.
func TestHash(t *testing.T) {
	assert.Equal(t, uint64(0x8512065972b26b86), dice.Hash(1, dice.Name("hold"), dice.Name("train/0001")))
	assert.NotEqual(t, dice.Hash(1, 2), dice.Hash(2, 1), "the order of a key counts")
	var counts [5]int
	for i := range uint64(20000) {
		counts[dice.Below(dice.Hash(7, i), 5)]++
	}
	for _, n := range counts {
		assert.InDelta(t, 4000, n, 300) // more than five standard deviations
	}
}
