package chart_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

func twoPanels() chart.Lines {
	line := func(name string, to float64) chart.Line {
		return chart.Line{Name: name, X: []float64{0, 1, 2, 3}, Y: []float64{1, 0.5, 0, to}}
	}
	return chart.Lines{Name: "lines", Title: "Lines", Caption: "caption", Panels: []chart.LinePanel{
		{Title: "alike", X: "distance", Y: "cosine", Low: -1, High: 1, Lines: []chart.Line{line("a", 0), line("b", 0)}},
		{Title: "apart", X: "distance", Y: "cosine", Low: -1, High: 1, Lines: []chart.Line{line("b", 1), line("c", -1)}},
	}}
}

func TestLinesGolden(t *testing.T) {
	f, err := twoPanels().Figure()
	require.NoError(t, err)
	reporttest.SamePicture(t, f, canvas.Size{Width: 10 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}

func TestLinesRefuse(t *testing.T) {
	one, wild := twoPanels(), twoPanels()
	one.Panels[1].Lines[0] = chart.Line{Name: "b", X: []float64{1}, Y: []float64{1}}
	wild.Panels[0].Lines[1].Y[2] = math.NaN()
	for _, l := range []chart.Lines{one, wild, {Title: "none"}} {
		_, err := l.Figure()
		require.Error(t, err)
	}
}
