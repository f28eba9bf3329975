package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Printed in grey, the colours grow lighter or darker in one direction, from end to end.
func TestColourMapsPrintInGrey(t *testing.T) {
	for _, c := range []struct {
		name   string
		scale  scale
		rising bool // lighter where larger
	}{
		{"diverging", newScale(-1, 1), true},
		{"diverging, uneven", newScale(-20, 50), true},
		{"sequential", newScale(0, 1), false},
		{"nearly all above zero", newScale(-1, 50), false},
		{"below zero", newScale(-7, -3), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			palette := c.scale.palette()
			require.Len(t, palette, shades+1)
			last := -1.0
			for i := range shades {
				r, g, b, _ := palette[i].RGBA()
				luma := (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 0xffff
				if !c.rising {
					luma = 1 - luma
				}
				require.GreaterOrEqual(t, luma, last-0.004, "shade %d", i) // up to rounding
				last = luma
			}
			assert.GreaterOrEqual(t, last, 0.7)
		})
	}
}

// Zero is grey, and equal distances from it are equally far along the map.
func TestDivergingScale(t *testing.T) {
	s := newScale(-20, 50)
	require.True(t, s.diverging)
	r, g, b, _ := s.palette()[s.index(0)].RGBA()
	assert.InDelta(t, r>>8, g>>8, 10)
	assert.InDelta(t, g>>8, b>>8, 10)
	assert.Equal(t, newScale(-50, 50).palette()[0], between(diverging, 0))
	assert.Equal(t, s.palette()[shades-1], between(diverging, 1))
	assert.InDelta(t, 0.3, (0.5 - 20/100.0), 1e-12)
	assert.Equal(t, s.palette()[0], between(diverging, 0.3))
}

// Dots cover the cells without gaps. All cells have the same number of dots, up to one dot.
func TestSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dots, cells := rapid.IntRange(1, 2000).Draw(t, "dots"), rapid.IntRange(1, 2000).Draw(t, "cells")
		count := make([]int, cells)
		last := 0
		for d := range dots {
			from, to := span(d, dots, cells)
			assert.Less(t, from, to)
			if cells > dots {
				assert.Equal(t, last, from)
				last = to
			}
			for c := from; c < to; c++ {
				count[c]++
			}
		}
		for c, n := range count {
			if cells > dots {
				assert.Equal(t, 1, n, "cell %d", c)
			} else {
				assert.InDelta(t, float64(dots)/float64(cells), n, 1, "cell %d", c)
			}
		}
	})
}

func TestAbbreviated(t *testing.T) {
	assert.Equal(t, "fourteen-runes", cellTicks(1, 1, []string{"fourteen-runes"}, "")[0].Label)
	assert.Equal(t, "incontroverti…", cellTicks(1, 1, []string{"incontrovertible"}, "")[0].Label)
	assert.Equal(t, "ééééééééééééé…", cellTicks(1, 1, []string{"ééééééééééééééé"}, "")[0].Label)
}
