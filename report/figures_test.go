package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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

// Every figure of the published report's TME 9 is made from its run.
func TestEveryPublishedFigure(t *testing.T) {
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple", "tme9-query", "tme9-values", "tme9-lstm", "tme9-entropy"} {
		for _, optimizer := range []string{"adam", "sgd"} {
			m := reporttest.Run{Name: name, Variant: "original", Set: []string{"optimizer=" + optimizer}, NoEntropy: name == "tme9-mean"}
			list = append(list, m.New(t))
		}
	}
	var numbers []int
	others := map[string]int{}
	for _, f := range figures.Smoothed(0).Of(list) {
		if f.Number > 0 {
			numbers = append(numbers, f.Number)
			continue
		}
		kind, _, _ := strings.Cut(f.Name, "-")
		others[kind]++
	}
	assert.Equal(t, []int{2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, numbers)
	// 12 runs have curves, 10 of them entropies; 8 and 5 of those are numbered.
	assert.Equal(t, []int{12 - 8, 10 - 5}, []int{others["curves"], others["entropy"]})
}

func TestFigureTakesTheMostComparableRun(t *testing.T) {
	base := reporttest.Run{Name: "tme9-lstm", Published: reporttest.LSTM}
	second, sampled, unfinished, rate := base, base, base, base
	second.Set = []string{"seed=2"}
	sampled.Data = reporttest.Sample
	unfinished.Set, unfinished.Unfinished, unfinished.Epochs = []string{"seed=0"}, true, 2
	rate.User = []string{"lr=0.1"}
	first := base.New(t)
	list := []*runs.Run{sampled.New(t), unfinished.New(t), rate.New(t), second.New(t), first}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	require.Len(t, drawn, 1)
	assert.Equal(t, "figure-11-tme9-lstm-adam-default", drawn[0].Name)
	assert.Contains(t, drawn[0].Caption, "mean of 2 seeds (1, 2), band")
	assert.Equal(t, first.Label()+" (adam, default, seed 1)", drawn[0].Runs[0])
	names := map[string]bool{}
	for _, f := range figures.Smoothed(0).Of(list) {
		assert.False(t, names[f.Name], "two drawn %s", f.Name)
		names[f.Name] = true
		if strings.HasPrefix(f.Name, "entropy-") {
			assert.NotContains(t, f.Caption, "seed 2 ", "another seed of a setting that is drawn")
		}
	}
}

func TestFiguresAreWellFormed(t *testing.T) {
	size := canvas.Size{Width: 5 * vg.Centimeter, Height: 4 * vg.Centimeter, DPI: 72}
	for _, f := range figures.Smoothed(0).Of(reporttest.Mixture(t)) {
		var picture, drawing bytes.Buffer
		require.NoError(t, f.Write(&picture, "png", size), f.Name)
		config, err := png.DecodeConfig(&picture)
		require.NoError(t, err)
		assert.InDelta(t, float64(size.Width/vg.Inch)*float64(size.DPI), config.Width, 1)

		require.NoError(t, f.Write(&drawing, "svg", size), f.Name)
		assert.Contains(t, drawing.String(), "Arial", "a stand-in for the font")
		assert.NotRegexp(t, `#-|var\(|="[^"]*(NaN|Inf)`, drawing.String(), "a colour at which readers other than browsers stop")
		d := xml.NewDecoder(&drawing)
		wide := false // the text that follows has a width, or is not drawn
		for err = nil; err == nil; {
			var token xml.Token
			token, err = d.Token()
			switch token := token.(type) {
			case xml.StartElement:
				wide = token.Name.Local == "title" || token.Name.Local == "desc" || slices.ContainsFunc(token.Attr, func(a xml.Attr) bool { return a.Name.Local == "textLength" && a.Value > "0" })
			case xml.CharData:
				if text := strings.TrimSpace(string(token)); utf8.RuneCountInString(text) > 1 {
					require.True(t, wide, "%s: whatever font a reader has, %q is as wide as it was when it was placed", f.Name, text)
				}
			}
		}
		assert.True(t, errors.Is(err, io.EOF), "%s: %v", f.Name, err)
		assert.Error(t, f.Write(io.Discard, "bmp", canvas.Page))
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	f := figures.Smoothed(0).Of(reporttest.Mixture(t))[0]
	for _, name := range []string{"a.png", "b.SVG"} {
		path := filepath.Join(dir, name)
		require.NoError(t, f.Save(path))
		assert.Positive(t, must.Get(os.Stat(path))(t).Size())
	}
	assert.Error(t, f.Save(filepath.Join(dir, "none", "a.png")))
	assert.Error(t, f.Save(filepath.Join(dir, "c.png"), filepath.Join(dir, "c.bmp")))
	assert.NoFileExists(t, filepath.Join(dir, "c.png"), "all are drawn before one is written")
}

// Golden pictures, small; go test -regen in its folder redraws them.
func TestGoldenFigures(t *testing.T) {
	list := []*runs.Run{
		reporttest.Run{Name: "tme9-lstm", Variant: "original", Published: reporttest.LSTM, Best: 2, User: []string{"select=best"}, Test: []float64{80, 84.6, 84, 83}}.New(t),
		reporttest.Run{Name: "tme9-simple", Variant: "original", Set: []string{"optimizer=sgd", "epochs=30"}, Predictions: reporttest.Guesses(500, 3)}.New(t),
	}
	for _, n := range []int{4, 11} {
		drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, fmt.Sprint(n)))(t)
		reporttest.SamePicture(t, reporttest.AnyCaption(drawn[0]), reporttest.SmallPicture)
	}
}

// Each figure of the published report is known, and told what to type for where
// runs do not show it.
func TestNumberedFigures(t *testing.T) {
	published := figures.Published()
	require.Len(t, published, 22)
	for i, e := range published {
		n := e.Number
		require.Equal(t, i+1, n, "each once")
		drawn, err := figures.Smoothed(0).Named(nil, nil, reporttest.Typed, fmt.Sprint(n))
		assert.Empty(t, drawn)
		assert.Regexp(t, fmt.Sprintf(`^figure %d \(.+\).*: exp `, n), err.Error(), "what to type")
	}
	for n, command := range map[int]string{
		1: "exp show tme9-mean", 5: "exp attend tme9-simple", 18: "exp attend tme10-pe --dots",
		14: "exp run tme9-entropy optimizer=sgd variant=original",
	} {
		assert.ErrorContains(t, must.Fail(figures.Smoothed(0).Named(nil, nil, reporttest.Typed, fmt.Sprint(n))), command)
	}
	for _, n := range []int{-1, 0, 23} {
		assert.ErrorContains(t, must.Fail(figures.Smoothed(0).Named(nil, nil, reporttest.Typed, fmt.Sprint(n))), "\n  14  loss and accuracy of tme9-entropy, sgd\n")
	}
}

// Trials are drawn where there is nothing else, and never as a published figure; what mattered in a search always is.
func TestFiguresOfTrials(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	var want, got []string
	for _, f := range figures.Smoothed(0).Of(looked) {
		want = append(want, f.Name)
	}
	for _, f := range figures.Smoothed(0).Of(append(trials, looked...)) {
		got = append(got, f.Name)
	}
	assert.Equal(t, want, got)

	alone := figures.Smoothed(0).Of(trials)
	assert.NotEmpty(t, alone)
	for _, f := range alone {
		assert.Zero(t, f.Number)
	}
}

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
		assert.Equal(t, f.Description(), texts["desc"])
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
	assert.True(t, strings.HasPrefix(texts["desc"], "a & b \ufffd <!-- · runs: "))
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

func TestGoldenFiguresOfModels(t *testing.T) {
	list := reporttest.Models(t)
	for name, c := range map[string]struct {
		height vg.Length
		order  []string
	}{"calibration-imdb": {7, reporttest.Order}, "comparison-imdb": {5, nil}, "length-imdb": {6, nil}} {
		f := reporttest.Named(t, figures.Smoothed(0).Of(list, c.order...), name)
		reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: c.height * vg.Centimeter, DPI: 80})
	}
}

// The comparison is sorted by our default, or what else there is, and leaves out
// what is not finished.
func TestComparisonIsSorted(t *testing.T) {
	var list []*runs.Run
	for _, m := range []reporttest.Run{
		{Name: "tme9-mean", Test: []float64{74}, Published: reporttest.LSTM},
		{Name: "tme9-simple", Variant: "original", Test: []float64{80}},
		{Name: "tme9-query", Variant: "original", Test: []float64{95}, Set: []string{"batch=32"}},
		{Name: "tme9-query", Test: []float64{78}},
		{Name: "tme9-values", Test: []float64{99}, Unfinished: true, Epochs: 1},
	} {
		list = append(list, m.New(t))
	}
	svg := must.Get(reporttest.Named(t, figures.Smoothed(0).Of(list), "comparison-imdb").Inline())(t)
	// The row at the top has its number first.
	assert.Regexp(t, `(?s)>tme9-simple<.*>tme9-query<.*>tme9-mean<`, svg)
	assert.NotContains(t, svg, "tme9-values")
	assert.Contains(t, svg, ">published<")
}

// Where a seed has gone wrong an interval reaches far: what is drawn of accuracies ends
// at 100 %.
func TestWaterfallEndsAtAllRight(t *testing.T) {
	p := reporttest.Plan()
	p.States[0].Side = reporttest.Side("original", append(reporttest.Right(500, 400)[:2], reporttest.Right(500, 200)[0])...)
	l := must.Get(compare.NewLadder(p))(t)
	c := l.Down[0].Comparison
	require.Greater(t, c.Accuracy[0].Mean+c.Interval.High, 100.0)
	f := figures.Waterfall(l)
	svg := must.Get(f.Inline())(t)
	assert.Contains(t, svg, ">100</text>")
	assert.NotRegexp(t, `>1[1-9]\d</text>`, svg)
}

func TestGoldenWaterfall(t *testing.T) {
	l := must.Get(compare.NewLadder(reporttest.Plan()))(t)
	f := figures.Waterfall(l)
	reporttest.SamePicture(t, f, canvas.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
