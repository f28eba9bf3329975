package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestAbbreviated(t *testing.T) {
	assert.Equal(t, "fourteen-runes", cellTicks(1, 1, []string{"fourteen-runes"}, "")[0].Label)
	assert.Equal(t, "incontroverti…", cellTicks(1, 1, []string{"incontrovertible"}, "")[0].Label)
	assert.Equal(t, "ééééééééééééé…", cellTicks(1, 1, []string{"ééééééééééééééé"}, "")[0].Label)
}

// A run at chance, and one epoch of a good one, once had axes of 0.6928 to 0.6938 and of
// 68.1599990.
func TestAxisSpansSomething(t *testing.T) {
	half, third := slices.Repeat([]float64{0.5}, 2), slices.Repeat([]float64{1. / 3}, 3)
	loss := LossScale(half).Axis(Ends{0.6929, 0.6937})
	assert.InDelta(t, 0.1, loss.Span(), 0.01)
	assert.True(t, loss.Low < math.Ln2 && math.Ln2 < loss.High)
	one := AccuracyScale(half).Axis(Ends{68.16, 68.16})
	assert.InDelta(t, 10.8, one.Span(), 1e-9)
	assert.Equal(t, Ends{90, 100}, AccuracyScale(half).Alone(Ends{99, 100}), "nothing above 100")
	assert.Equal(t, Ends{0, 0.1}, LossScale(half).Alone(Ends{0.001, 0.002}), "nothing below 0")
	assert.Equal(t, "chance, 33.3 %", AccuracyScale(third).Named)
	assert.Equal(t, "chance, ln 3", LossScale(third).Named)
	assert.Zero(t, AccuracyScale([]float64{1}).Chance)
	assert.Equal(t, "largest class of test, 54.12 %", AccuracyScale([]float64{0.4588, 0.5412}).Named, "the classes are unequal")
	assert.InDelta(t, 0.5004, LossScale([]float64{0.2, 0.8}).Chance, 1e-4)
	assert.Equal(t, Ends{82, 97}, AccuracyScale(half).Alone(Ends{82, 97}), "chance is far away")
}

// Labels that would be printed over each other are left out, sooner in narrower panels.
func TestLabelsHaveRoom(t *testing.T) {
	all := []float64{0.000127, 0.000383, 0.00129, 0.00384}
	for columns, want := range [][]string{1: {"0.000127", "0.000383", "0.00129", "0.00384"}, 3: {"0.000127", "", "0.00129", ""}} {
		if want != nil {
			var labels []string
			for _, tick := range ValueTicks(all, true, columns).Ticks(-4, -2.3) {
				labels = append(labels, tick.Label)
			}
			assert.Equal(t, want, labels)
		}
	}
}
