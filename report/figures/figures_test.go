package figures_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
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
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Every figure of the published report's TME 9 is made from its run.
func TestEveryPublishedFigure(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple", "tme9-query", "tme9-values", "tme9-lstm", "tme9-entropy"} {
		for _, optimizer := range []string{"adam", "sgd"} {
			m := reporttest.Run{Name: name, Variant: "original", Set: []string{"optimizer=" + optimizer}, Data: reporttest.IMDB, NoEntropy: name == "tme9-mean"}
			list = append(list, m.Add(t, dir))
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
	dir := t.TempDir()
	base := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, Published: reporttest.LSTM}
	second, sampled, unfinished, rate := base, base, base, base
	second.Set = []string{"seed=2"}
	sampled.Data = reporttest.Sample
	unfinished.Set, unfinished.Unfinished, unfinished.Epochs = []string{"seed=0"}, true, 2
	rate.User = []string{"lr=0.1"}
	first := base.Add(t, dir)
	list := []*runs.Run{sampled.Add(t, dir), unfinished.Add(t, dir), rate.Add(t, dir), second.Add(t, dir), first}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	require.Len(t, drawn, 1)
	assert.Equal(t, "figure-11-tme9-lstm-adam-default", drawn[0].Name)
	assert.Contains(t, drawn[0].Caption, "1 ("+first.Config.ID[:8]+"), 2 (")
	assert.Contains(t, drawn[0].Caption, "mean of 2 seeds")
	names := map[string]bool{}
	for _, f := range figures.Smoothed(0).Of(list) {
		assert.False(t, names[f.Name], "two drawn %s", f.Name)
		names[f.Name] = true
		if strings.Contains(f.Title, "entropy of") {
			assert.NotContains(t, f.Caption, "seed 2 ", "another seed of a setting that is drawn")
		}
	}
}

func TestFiguresAreWellFormed(t *testing.T) {
	sizes := []canvas.Size{canvas.Column, {Width: 5 * vg.Centimeter, Height: 4 * vg.Centimeter, DPI: 72}}
	for _, f := range figures.Smoothed(0).Of(reporttest.Mixture(t)) {
		for _, size := range sizes {
			var picture, drawing bytes.Buffer
			require.NoError(t, f.Write(&picture, "png", size), f.Name)
			config, err := png.DecodeConfig(&picture)
			require.NoError(t, err)
			assert.InDelta(t, float64(size.Width/vg.Inch)*float64(size.DPI), config.Width, 1)

			require.NoError(t, f.Write(&drawing, "svg", size), f.Name)
			assert.Contains(t, drawing.String(), "Arial", "a stand-in for the font")
			d := xml.NewDecoder(&drawing)
			wide := false // the text that follows has a width
			for err = nil; err == nil; {
				var token xml.Token
				token, err = d.Token()
				switch token := token.(type) {
				case xml.StartElement:
					wide = slices.ContainsFunc(token.Attr, func(a xml.Attr) bool { return a.Name.Local == "textLength" && a.Value > "0" })
				case xml.CharData:
					if text := strings.TrimSpace(string(token)); utf8.RuneCountInString(text) > 1 {
						require.True(t, wide, "%s: whatever font a reader has, %q is as wide as it was when it was placed", f.Name, text)
					}
				}
			}
			assert.True(t, errors.Is(err, io.EOF), "%s: %v", f.Name, err)
		}
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
	dir := t.TempDir()
	list := []*runs.Run{
		reporttest.Run{
			Name: "tme9-lstm", Variant: "original", Data: reporttest.IMDB, Published: reporttest.LSTM, Best: 2,
			User: []string{"select=best"}, Test: []float64{80, 84.6, 84, 83},
		}.Add(t, dir),
		reporttest.Run{
			Name: "tme9-simple", Variant: "original", Data: reporttest.IMDB, Set: []string{"optimizer=sgd", "epochs=30"},
			Predictions: reporttest.Guesses(500, 3),
		}.Add(t, dir),
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

func TestNumberedOfEachVariant(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, variant := range []string{"original", "default"} {
		set := []string{"slip.whitespace=" + fmt.Sprint(variant == "original")}
		list = append(list, reporttest.Run{Name: "tme9-lstm", Variant: variant, Set: set, Data: reporttest.IMDB, Published: reporttest.LSTM}.Add(t, dir))
	}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	require.Len(t, drawn, 2)
	assert.Equal(t, "figure-11-tme9-lstm-adam-default", drawn[0].Name)
	assert.Equal(t, "figure-11-tme9-lstm-adam-original", drawn[1].Name)
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
