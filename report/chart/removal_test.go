package chart_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

func TestRemovals(t *testing.T) {
	lines := []chart.RemovalLine{
		{Name: "attention", Y: []float64{80, 70, 60}, Ends: [][2]float64{{79, 82}, {68, 71}, {math.NaN(), math.NaN()}}},
		{Name: "random", Y: []float64{81, 80, 79}},
	}
	draw := func(panels ...chart.RemovalPanel) string {
		f := chart.Removals("falls", "What falls", "a run", []float64{1, 10, 50}, panels...)
		var svg, png bytes.Buffer
		require.NoError(t, f.Write(&svg, "svg", canvas.Page))
		require.NoError(t, f.Write(&png, "png", canvas.Column))
		require.Greater(t, png.Len(), 1000)
		return svg.String()
	}
	var many []chart.RemovalLine
	for i := range 9 {
		many = append(many, chart.RemovalLine{Name: string(rune('a' + i)), Chance: i == 3, Y: lines[0].Y})
	}
	draw(chart.RemovalPanel{Title: "more than there are shapes", Axis: "accuracy (%)", Whole: 81, Lines: many})
	whole := draw(chart.RemovalPanel{Title: "left", Axis: "accuracy (%)", Whole: 81, Lines: lines})
	for _, text := range []string{"What falls", "attention", "random", "left", "accuracy (%)", ">1<", ">10<", ">50<", "a run"} {
		require.Contains(t, whole, text)
	}
	none := draw(chart.RemovalPanel{Title: "left", Axis: "accuracy (%)", Whole: math.NaN(), Lines: lines})
	require.Less(t, len(none), len(whole), "the line of whole reviews is missing")
}
