package figures_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Inline figures are well-formed, take all colours from the page, and keep to what
// a strict content security policy lets through.
func TestInline(t *testing.T) {
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(--fig-[a-z]+):#`).FindAllStringSubmatch(canvas.CSS(), -1) {
		defined[m[1]] = true
	}
	ids := map[string]bool{}
	for _, f := range append(figures.Smoothed(0).Of(reporttest.Mixture(t)), figures.Smoothed(0).Of(reporttest.Models(t))...) {
		svg, err := f.Inline()
		require.NoError(t, err, f.Name)
		assert.True(t, strings.HasPrefix(svg, "<svg "), "no XML header")
		for _, no := range []string{"style=", "<script", "font-family", "http://www.w3.org/1999/xlink"} {
			assert.NotContains(t, svg, no, f.Name)
		}
		for _, m := range regexp.MustCompile(`var\((--fig-[a-z]+),#[0-9a-f]{6}\)`).FindAllStringSubmatch(svg, -1) {
			assert.True(t, defined[m[1]], m[1])
		}
		assert.NotRegexp(t, `="[^"]*(NaN|Inf)`, svg, "no place on a canvas")
		assert.NotRegexp(t, `(fill|stroke)="#`, svg, "a colour that dark pages cannot change")
		texts := checkInline(t, svg, ids)
		assert.Equal(t, f.Title, texts["title"])
		assert.Equal(t, f.Caption, texts["desc"])
	}
	assert.NotEmpty(t, ids)
}

// checkInline reads an inline figure as XML and returns the text of its elements;
// ids that are there already fail.
func checkInline(t *testing.T, svg string, ids map[string]bool) map[string]string {
	t.Helper()
	texts := map[string]string{}
	d, element := xml.NewDecoder(strings.NewReader(svg)), ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			element = e.Name.Local
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			if id := at["id"]; id != "" {
				assert.False(t, ids[id], "two elements with id %s", id)
				ids[id] = true
			}
			if element == "svg" {
				assert.Equal(t, "img", at["role"])
				assert.Regexp(t, `^0 0 \d+ \d+$`, at["viewBox"])
				assert.NotContains(t, at, "width", "it scales")
				assert.NotContains(t, at, "height", "it scales")
				for id := range strings.FieldsSeq(at["aria-labelledby"]) {
					assert.Contains(t, svg, `id="`+id+`"`)
				}
			}
		case xml.CharData:
			texts[element] += strings.TrimSpace(string(e))
		}
	}
}

// Names and settings of a run folder may be anything.
func TestInlineIsEscaped(t *testing.T) {
	f := figures.Smoothed(0).Of(reporttest.Mixture(t))[0]
	f.Name, f.Title, f.Caption = `"><script>`, "</title><script>alert(1)</script>", "a & b \x01 <!--"
	svg := must.Get(f.Inline())(t)
	texts := checkInline(t, svg, map[string]bool{})
	assert.Equal(t, f.Title, texts["title"])
	assert.Equal(t, "a & b \ufffd <!--", texts["desc"])
}

// sure is a prediction of the first of two classes with that probability.
func sure(p float32, right bool) runs.Prediction {
	r := runs.Prediction{P: []float32{p, 1 - p}}
	if !right {
		r.Label = 1
	}
	return r
}

func TestReliability(t *testing.T) {
	p := &runs.Predictions{Classes: []string{"a", "b"}, Rows: []runs.Prediction{
		sure(0.75, true), sure(0.5, false), sure(1, true), sure(0.625, true), sure(1, true), sure(1, false),
		{Label: -1, P: []float32{1, 0}}, // nobody knows whether it is right
		sure(float32(math.NaN()), true),
	}}
	bins := figures.Reliability(p, 3)
	assert.Equal(t, []figures.ReliabilityBin{
		{Reviews: 2, Confidence: 0.5625, Accuracy: 0.5},
		{Reviews: 4, Confidence: 0.9375, Accuracy: 0.75}, // equal confidences stay together
	}, bins)
	// Of 15 bins of equal width 0.5, 0.625 and 0.75 have one each, and three reviews are in the last.
	assert.InDelta(t, (0.5+0.375+0.25+1)/6, figures.CalibrationError(p), 1e-15)
	assert.Empty(t, figures.Reliability(&runs.Predictions{}, 3))
	assert.True(t, math.IsNaN(figures.CalibrationError(&runs.Predictions{})))
}

// A run at chance, all of whose confidences lie within a point, once was a zigzag from 40
// to 60 % of accuracy; it is one dot.
func TestReliabilityAtChance(t *testing.T) {
	p := &runs.Predictions{Classes: []string{"a", "b"}}
	for i := range 1000 {
		p.Rows = append(p.Rows, sure(0.5+0.008*float32(i)/1000, i/40%2 == 0))
	}
	bins := figures.Reliability(p, 12)
	assert.Len(t, bins, 1)
	assert.Equal(t, 1000, bins[0].Reviews)
	assert.InDelta(t, 0.52, bins[0].Accuracy, 1e-9)
	assert.InDelta(t, 0.504, bins[0].Confidence, 1e-4)
}

func TestGoldenCalibration(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t), reporttest.Order...), "calibration-imdb")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 7 * vg.Centimeter, DPI: 80})
}

// The comparison is sorted by our default, or what else there is, and leaves out
// what is not finished.
func TestComparisonIsSorted(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, m := range []reporttest.Run{
		{Name: "tme9-mean", Variant: "default", Test: []float64{74}, Published: reporttest.LSTM},
		{Name: "tme9-simple", Variant: "original", Test: []float64{80}},
		{Name: "tme9-query", Variant: "original", Test: []float64{95}, Set: []string{"batch=32"}},
		{Name: "tme9-query", Variant: "default", Test: []float64{78}},
		{Name: "tme9-values", Variant: "default", Test: []float64{99}, Unfinished: true, Epochs: 1},
	} {
		m.Data = reporttest.IMDB
		list = append(list, m.Add(t, dir))
	}
	svg := must.Get(reporttest.Named(t, figures.Smoothed(0).Of(list), "comparison-imdb").Inline())(t)
	// The row at the top has its number first.
	assert.Regexp(t, `(?s)>tme9-simple adam<.*>tme9-query adam<.*>tme9-mean adam<`, svg)
	assert.NotContains(t, svg, "tme9-values")
	assert.Contains(t, svg, ">published<")
}

func TestGoldenComparison(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t)), "comparison-imdb")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 5 * vg.Centimeter, DPI: 80})
}

// Where a seed has gone wrong an interval reaches far: what is drawn of accuracies ends
// at 100 %.
func TestWaterfallEndsAtAllRight(t *testing.T) {
	p := reporttest.Plan(t)
	p.States[0].Side = reporttest.Side(t, "original", append(reporttest.Right(500, 400)[:2], reporttest.Right(500, 200)[0])...)
	l := must.Get(compare.NewLadder(p))(t)
	c := l.Down[0].Comparison
	require.Greater(t, c.Accuracy[0].Mean+c.Interval.High, 100.0)
	f := figures.Waterfall(l)
	assert.Contains(t, f.Caption, "without an end goes on beyond the axis")
	svg := must.Get(f.Inline())(t)
	assert.Contains(t, svg, ">100</text>")
	assert.NotRegexp(t, `>1[1-9]\d</text>`, svg)
}

func TestGoldenWaterfall(t *testing.T) {
	l := must.Get(compare.NewLadder(reporttest.Plan(t)))(t)
	f := figures.Waterfall(l)
	reporttest.SamePicture(t, f, canvas.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
