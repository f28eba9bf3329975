package report_test

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
		Title: "waves", X: "column", Y: "row", Rows: 60, Cols: 30, Low: -1, High: 1,
		At: func(i, j int) float64 { return math.Sin(float64(i) / float64(1+j)) },
	}
	words := []string{"not", "a", "very", "good", "incontrovertibly"}
	slope := chart.Matrix{
		Title: "words", Rows: 5, Cols: 5, Words: words, High: 8,
		At: func(i, j int) float64 { return float64(i + j) },
	}
	blank := chart.Matrix{Title: "a blank corner", X: "x", Y: "y", Rows: 500, Cols: 500, High: 0.99, At: func(i, j int) float64 {
		if i < 100 && j > 400 {
			return math.NaN()
		}
		return float64(i*j%100) / 100
	}}
	flat := chart.Matrix{Title: "all the same", Rows: 1, Cols: 3, Low: 3, High: 3, At: func(int, int) float64 { return 3 }}
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
	for _, size := range []canvas.Size{f.Size, reporttest.SmallPicture, canvas.Tall, {Width: 4 * vg.Centimeter, Height: 4 * vg.Centimeter, DPI: 60}} {
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
			width, height := units(t, m[1]), units(t, m[2])
			shown, last, captions := "", 0, height
			for _, m := range regexp.MustCompile(`<text x="(\d+)" y="(\d+)" font-size="(\d+)[^>]*?(?: textLength="(\d+)")?[^>]*>([^<]*)<`).FindAllStringSubmatch(b.String(), -1) {
				x, y := units(t, m[1]), units(t, m[2])
				require.LessOrEqual(t, x+units(t, "0"+m[4]), width, name)
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
	require.ErrorContains(t, must.Fail(chart.Shaded("x", "", "", [][]chart.Part{{{Text: strings.Repeat("x", 2e5)}}})), "more than 1000")
}

func units(t *testing.T, s string) int {
	n := must.Get(strconv.Atoi(s))(t)
	return n
}

func TestLackingCharacters(t *testing.T) {
	require.True(t, canvas.Lacks("great 电影"))
	require.False(t, canvas.Lacks("naïve фильм ταινία"))
}

// Intervals, a random line, and a tick without room.
func TestLinesGolden(t *testing.T) {
	p := chart.LinePanel{X: "words", Y: "accuracy", Log: true, Margin: 0.03, Ticks: chart.ValueTicks([]float64{1, 1.1, 10, 50}, true, 1), Scale: chart.Scale{Least: 0.1}}
	none := math.NaN()
	attention := chart.Numbered("attention", 0, []chart.Point{{X: 1, Y: 80, Low: 79, High: 82}, {X: 10, Y: 70, Low: 68, High: 71}, {X: 50, Y: 60, Low: none}})
	attention.Bars = true
	random := chart.Numbered("random", 1, []chart.Point{{X: 1, Y: 81, Low: none}, {X: 10, Y: 80, Low: none}, {X: 50, Y: 79, Low: none}})
	random.Line = chart.Line(1.2, canvas.Faint, 2, 1.6)
	p.Curves = []chart.Curve{attention, random}
	f := chart.Figure("Removed", p, p)
	f.Name = "removed"
	require.Len(t, f.Legend, 2, "a name once")
	svg := must.Get(f.Inline())(t)
	for _, want := range []string{">1<", ">10<", ">50<", ">random<"} {
		assert.Contains(t, svg, want)
	}
	assert.NotContains(t, svg, ">1.1<")
	reporttest.SamePicture(t, f, canvas.Size{Width: 10 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
