package chart_test

import (
	"bytes"
	"image/png"
	"math"
	"regexp"
	"strconv"
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
		assert.Equal(t, 4, strings.Count(drawing.String(), "<image"), "one for each matrix")
		assert.Less(t, drawing.Len(), 1<<21)
	}
}

func TestHeatmapRefuses(t *testing.T) {
	at := func(int, int) float64 { return 0 }
	for _, m := range []chart.Matrix{{Title: "empty", Cols: 2, At: at}, {Rows: 7000, Cols: 1, At: at}} {
		assert.ErrorContains(t, must.Fail(chart.Heatmaps("name", "title", "", m)), "cannot be drawn; want 1 to 6000 cells a side")
	}
}

// All of a text is inside the picture: long words and texts without blanks are broken, and the
// height follows from the lines, with a title or without.
func TestShadedFits(t *testing.T) {
	for name, words := range map[string][]string{
		"long": strings.Fields(strings.Repeat("a great film ", 700)), "word": {"great", strings.Repeat("x", 500), "film"}, "wide": {strings.Repeat("这部电影非常好看", 60)}, "one": {"great"},
	} {
		var pieces [][]chart.Part
		for _, w := range words {
			pieces = append(pieces, []chart.Part{{Text: w, Shade: 0.5}})
		}
		f := must.Get(chart.Shaded("x", strings.Repeat("a long title ", 20), strings.Repeat("a caption ", 40), pieces))(t)
		for _, f.NoTitle = range []bool{true, false} {
			var b strings.Builder
			require.NoError(t, f.Write(&b, "svg", f.Size))
			m := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(b.String())
			width, height := number(t, m[1]), number(t, m[2])
			shown, last, captions := "", 0, height
			for _, m := range regexp.MustCompile(`<text x="(\d+)" y="(\d+)" font-size="(\d+)[^>]*?(?: textLength="(\d+)")?[^>]*>([^<]*)<`).FindAllStringSubmatch(b.String(), -1) {
				x, y := number(t, m[1]), number(t, m[2])
				require.LessOrEqual(t, x+number(t, "0"+m[4]), width, name)
				require.Less(t, y, height, name)
				switch {
				case strings.Contains(m[5], "title"):
				case strings.Contains(m[5], "caption"):
					captions = min(captions, y)
				default:
					shown, last = shown+m[5], max(last, y)
				}
			}
			require.Equal(t, strings.Join(words, ""), shown, name)
			require.Less(t, last, captions, name)
			require.Less(t, captions-last, 400, "%s: no gap below the text", name)
		}
	}
	require.ErrorContains(t, must.Fail(chart.Shaded("x", "", "", [][]chart.Part{{{Text: strings.Repeat("x", 1e6)}}})), "more than 1000")
}

func number(t *testing.T, s string) int {
	n := must.Get(strconv.Atoi(s))(t)
	return n
}

func TestLackingCharacters(t *testing.T) {
	require.True(t, canvas.Lacks("great 电影"))
	require.False(t, canvas.Lacks("naïve фильм ταινία"))
}

func twoPanels() chart.Lines {
	line := func(name string, to float64) chart.Line {
		return chart.Line{Name: name, X: []float64{0, 1, 2, 3}, Y: []float64{1, 0.5, 0, to}}
	}
	full := chart.Axis{Low: -1, High: 1}
	return chart.Lines{Name: "lines", Title: "Lines", Caption: "caption", Panels: []chart.Panel{
		{Title: "alike", X: "distance", Y: "cosine", YAxis: full, Lines: []chart.Line{line("a", 0), line("b", 0)}},
		{Title: "apart", X: "distance", Y: "cosine", YAxis: full, Lines: []chart.Line{line("b", 1), line("c", -1)}},
	}}
}

// removed has intervals and a random line.
func removed() chart.Lines {
	share := []float64{1, 10, 50}
	return chart.Lines{Name: "removed", Title: "Removed", Panels: []chart.Panel{{
		X: "words", Y: "accuracy", XAxis: chart.Axis{Log: true, Margin: 0.03, At: []float64{1, 1.1, 10, 50}}, YAxis: chart.Axis{Margin: 0.03, Min: 0.1},
		Lines: []chart.Line{
			{Name: "attention", X: share, Y: []float64{80, 70, 60}, Ends: [][2]float64{{79, 82}, {68, 71}, {math.NaN(), math.NaN()}}},
			{Name: "random", X: share, Y: []float64{81, 80, 79}, Chance: true},
		},
	}}}
}

func TestLinesGolden(t *testing.T) {
	for _, l := range []chart.Lines{twoPanels(), removed()} {
		f := must.Get(l.Figure())(t)
		reporttest.SamePicture(t, f, canvas.Size{Width: 10 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
	}
}

// A tick without room has no label.
func TestLinesSay(t *testing.T) {
	svg := must.Get(must.Get(removed().Figure())(t).Inline())(t)
	for _, want := range []string{">1<", ">10<", ">50<", ">random<"} {
		assert.Contains(t, svg, want)
	}
	assert.NotContains(t, svg, ">1.1<")
	require.ErrorContains(t, must.Fail(chart.Lines{Title: "none"}.Figure()), "none: no lines")
}

// A number that has no place on its axis is left out.
func TestLinesWithoutPlace(t *testing.T) {
	whole, l := removed(), removed()
	for i := range l.Panels[0].Lines {
		line := &l.Panels[0].Lines[i]
		line.X, line.Y = append([]float64{-1, 5}, line.X...), append([]float64{80, math.NaN()}, line.Y...)
		if line.Ends != nil {
			line.Ends = append([][2]float64{{79, 81}, {79, 81}}, line.Ends...)
		}
	}
	assert.Equal(t, must.Get(must.Get(whole.Figure())(t).Inline())(t), must.Get(must.Get(l.Figure())(t).Inline())(t))
}
