package chart_test

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// wave is a matrix of both signs, slope one of a single sign and words.
func matrices() []chart.Matrix {
	wave := chart.Matrix{
		Title: "waves", X: "column", Y: "row", Rows: 60, Cols: 30, Low: -1, High: 1, Bar: true,
		At: func(i, j int) float64 { return math.Sin(float64(i) / float64(1+j)) },
	}
	words := []string{"not", "a", "very", "good", "incontrovertibly"}
	slope := chart.Matrix{
		Title: "words", Rows: 5, Cols: 5, Words: words, Bar: true,
		At: func(i, j int) float64 { return float64(i + j) },
	}
	blank := chart.Matrix{Title: "a blank corner", X: "x", Y: "y", Rows: 500, Cols: 500, At: func(i, j int) float64 {
		if i < 100 && j > 400 {
			return math.NaN()
		}
		return float64(i*j%100) / 100
	}}
	flat := chart.Matrix{Title: "all the same", Rows: 1, Cols: 3, At: func(int, int) float64 { return 3 }}
	return []chart.Matrix{wave, slope, blank, flat}
}

func TestHeatmapGolden(t *testing.T) {
	f := must.Get(chart.Heatmaps("heatmaps", "Heat maps", "caption", matrices()...))(t)
	reporttest.SamePicture(t, f, canvas.Size{Width: 20 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}

// Figures of matrices are drawn at any size, and an SVG holds pictures of cells,
// not thousands of rectangles.
func TestHeatmapSizes(t *testing.T) {
	f := must.Get(chart.Heatmaps("a/b", "Heat maps", strings.Repeat("caption ", 30), matrices()...))(t)
	assert.Equal(t, "a-b", f.Name)
	for _, size := range []canvas.Size{f.Size, canvas.Column, canvas.Tall, {Width: 4 * vg.Centimeter, Height: 4 * vg.Centimeter, DPI: 60}} {
		var picture, drawing bytes.Buffer
		require.NoError(t, f.Write(&picture, "png", size))
		_ = must.Get(png.Decode(&picture))(t)
		require.NoError(t, f.Write(&drawing, "svg", size))
		assert.Equal(t, 6, strings.Count(drawing.String(), "<image"), "four matrices and two colour bars")
		assert.Less(t, drawing.Len(), 1<<21)
	}
}

func TestHeatmapRefuses(t *testing.T) {
	at := func(int, int) float64 { return 0 }
	for _, m := range []chart.Matrix{{Title: "empty", Cols: 2, At: at}, {Rows: 30000, Cols: 1, At: at}} {
		assert.ErrorContains(t, must.Fail(chart.Heatmaps("name", "title", "", m)), "cannot be drawn; want 1 to 20000 cells a side")
	}
}
