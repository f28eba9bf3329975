package chart_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

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
			{Name: "attention", X: share, Y: []float64{80, 70, 60}, Ends: [][2]float64{{79, 82}, {68, 71}, {math.NaN(), math.NaN()}}, Dots: true},
			{Name: "random", X: share, Y: []float64{81, 80, 79}, Dots: true, Chance: true},
		},
		Marks: []float64{5, 500},
	}}}
}

func clouds() chart.Lines {
	p := chart.Panel{X: "x", Y: "y", XAxis: chart.Axis{High: 1}, YAxis: chart.Axis{High: 1}, Marks: []float64{0.5}}
	return chart.Lines{Name: "clouds", Title: "Clouds", Panels: []chart.Panel{
		p.Cloud("left", []float64{0.1, 0.2}, []float64{0.3, 0.4}, 2), p.Cloud("none", nil, nil, 1),
	}}
}

func TestLinesGolden(t *testing.T) {
	for _, l := range []chart.Lines{twoPanels(), removed(), clouds()} {
		f := must.Get(l.Figure())(t)
		reporttest.SamePicture(t, f, canvas.Size{Width: 10 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
	}
}

func TestLinesSay(t *testing.T) {
	for _, c := range []struct {
		l    chart.Lines
		with []string
		none []string
	}{
		{removed(), []string{">1<", ">10<", ">50<", ">random<"}, []string{">1.1<"}},
		{clouds(), []string{">left (1)<", ">none (0)<"}, []string{">left<"}},
	} {
		svg := must.Get(must.Get(c.l.Figure())(t).Inline())(t)
		for _, want := range c.with {
			assert.Contains(t, svg, want)
		}
		for _, not := range c.none {
			assert.NotContains(t, svg, not)
		}
	}
}

func TestLinesRefuse(t *testing.T) {
	assert.ErrorContains(t, must.Fail(chart.Lines{Title: "none"}.Figure()), "none: 0 lines; want 1 to 6")
	assert.ErrorContains(t, must.Fail(sevenLines().Figure()), "Lines: 7 lines; want 1 to 6")
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

func sevenLines() chart.Lines {
	l := chart.Lines{Title: "Lines", Panels: make([]chart.Panel, 1)}
	for _, name := range strings.Split("abcdefg", "") {
		l.Panels[0].Lines = append(l.Panels[0].Lines, chart.Line{Name: name, X: []float64{1, 2}, Y: []float64{1, 2}})
	}
	return l
}
