package report_test

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

	"imdbexp/report"
	"imdbexp/runs"
)

// Every figure of the published report's TME 9 is made from its run.
func TestEveryPublishedFigure(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple", "tme9-query", "tme9-values", "tme9-lstm", "tme9-entropy"} {
		for _, optimizer := range []string{"adam", "sgd"} {
			m := made{name: name, variant: "original", set: []string{"optimizer=" + optimizer}, data: imdb, noEntropy: name == "tme9-mean"}
			list = append(list, m.add(t, dir))
		}
	}
	var numbers []int
	others := 0
	for _, f := range report.Figures(list) {
		if f.Number == 0 {
			others++
			continue
		}
		numbers = append(numbers, f.Number)
	}
	assert.Equal(t, []int{2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, numbers)
	// 12 runs have curves, 10 of them entropies; 8 and 5 of those are numbered. One
	// more compares them all.
	assert.Equal(t, 12-8+10-5+1, others)
}

func TestFigureTakesTheMostComparableRun(t *testing.T) {
	dir := t.TempDir()
	base := made{name: "tme9-lstm", variant: "default", data: imdb, published: lstm}
	second, sampled, unfinished, rate := base, base, base, base
	second.set = []string{"seed=2"}
	sampled.data = sample
	unfinished.set, unfinished.unfinished, unfinished.epochs = []string{"seed=0"}, true, 2
	rate.user = []string{"lr=0.1"}
	first := base.add(t, dir)
	list := []*runs.Run{sampled.add(t, dir), unfinished.add(t, dir), rate.add(t, dir), second.add(t, dir), first}
	figures, err := report.Numbered(list, typed, 11)
	require.NoError(t, err)
	require.Len(t, figures, 1)
	assert.Equal(t, "figure-11-tme9-lstm-adam-default", figures[0].Name)
	assert.Contains(t, figures[0].Caption, "1 ("+first.Config.ID[:8]+"), 2 (")
	assert.Contains(t, figures[0].Caption, "mean of 2 seeds")
	names := map[string]bool{}
	for _, f := range report.Figures(list) {
		assert.False(t, names[f.Name], "two figures %s", f.Name)
		names[f.Name] = true
		if strings.Contains(f.Title, "entropy of") {
			assert.NotContains(t, f.Caption, "seed 2 ", "another seed of a setting that is drawn")
		}
	}
}

func TestFiguresAreWellFormed(t *testing.T) {
	sizes := []report.Size{report.Column, {Width: 5 * vg.Centimeter, Height: 4 * vg.Centimeter, DPI: 72}}
	for _, f := range report.Figures(mixture(t)) {
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
		assert.Error(t, f.Write(io.Discard, "bmp", report.Page))
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f := report.Figures(mixture(t))[0]
	paths, err := f.Save(dir)
	require.NoError(t, err)
	require.Len(t, paths, 2)
	for _, p := range paths {
		info, err := os.Stat(p)
		require.NoError(t, err)
		assert.Positive(t, info.Size())
	}
	file := filepath.Join(dir, f.Name+".png")
	_, err = f.Save(file)
	assert.Error(t, err, "a file where the folder should be")
}

// smallPicture is the size of golden pictures.
var smallPicture = report.Size{Width: 9 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80}

// anyCaption puts a caption in place of one that names IDs, digests of every
// default: they are not part of the look.
func anyCaption(f report.Figure) report.Figure {
	f.Caption = strings.Repeat("caption ", 20)
	return f
}

// Golden pictures, small; go test ./report -regen redraws them.
func TestGoldenFigures(t *testing.T) {
	dir := t.TempDir()
	list := []*runs.Run{
		made{
			name: "tme9-lstm", variant: "original", data: imdb, published: lstm, best: 2,
			user: []string{"select=best"}, test: []float64{80, 84.6, 84, 83},
		}.add(t, dir),
		made{
			name: "tme9-simple", variant: "original", data: imdb, set: []string{"optimizer=sgd", "epochs=30"},
			predictions: guesses(500, 3),
		}.add(t, dir),
	}
	for _, n := range []int{4, 11} {
		figures, err := report.Numbered(list, typed, n)
		require.NoError(t, err)
		samePicture(t, anyCaption(figures[0]), smallPicture)
	}
}

// Curves of several seeds are their mean in a band.
func TestGoldenBand(t *testing.T) {
	var list []*runs.Run
	for seed := range 4 {
		n := float64(seed)
		list = append(list, made{
			name: "tme9-lstm", variant: "default", data: imdb, set: []string{fmt.Sprint("seed=", seed)},
			test: []float64{78 + n, 82 + 2*n, 83 + n, 84 - n},
		}.add(t, t.TempDir()))
	}
	figures, err := report.Numbered(list, typed, 11)
	require.NoError(t, err)
	assert.Contains(t, figures[0].Caption, "mean of 4 seeds, band ± one standard deviation: 0 (")
	f := anyCaption(figures[0])
	f.Name = "band"
	samePicture(t, f, smallPicture)
}

// Of seeds that stopped at different epochs only those are drawn that all have.
func TestBandOverCommonEpochs(t *testing.T) {
	base := made{name: "tme9-lstm", variant: "default", data: imdb, user: []string{"select=best"}, best: 2, epochs: 3}
	other := base
	other.set, other.epochs = []string{"seed=2"}, 4
	list := []*runs.Run{base.add(t, t.TempDir()), other.add(t, t.TempDir())}
	figures, err := report.Numbered(list, typed, 11)
	require.NoError(t, err)
	assert.Contains(t, figures[0].Caption, "chosen epochs 2 2")
	svg, err := figures[0].Inline()
	require.NoError(t, err)
	assert.Contains(t, svg, ">3</text>", "the last epoch of both")
	assert.NotContains(t, svg, ">4</text>", "an epoch of one")
}
