package chart_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/report/chart"
)

// A panel a group, all with the same axes; what cannot be drawn is an error.
func TestDots(t *testing.T) {
	d := chart.Dots{Name: "dots", Title: "Dots", X: "x", Y: "y", XHigh: 1, YHigh: 1, Mark: []float64{0.5},
		Groups: []chart.DotGroup{{Name: "left", X: []float64{0.1, 0.2}, Y: []float64{0.3, 0.4}}, {Name: "none"}}}
	f, err := d.Figure()
	require.NoError(t, err)
	svg, err := f.Inline()
	require.NoError(t, err)
	for _, text := range []string{"left (2)", "none (0)"} {
		require.True(t, strings.Contains(svg, text), text)
	}
	d.Groups[0].Each = 2 // two dots for one
	f, err = d.Figure()
	require.NoError(t, err)
	svg, err = f.Inline()
	require.NoError(t, err)
	require.True(t, strings.Contains(svg, "left (1)"))
	d.Groups[0].Y = nil
	_, err = d.Figure()
	require.ErrorContains(t, err, "left: 2 and 0 numbers")
	d.Groups = nil
	_, err = d.Figure()
	require.ErrorContains(t, err, "0 groups")
}
