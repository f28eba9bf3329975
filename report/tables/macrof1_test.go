package tables_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// predictions makes rows of label and predicted class.
func predictions(classes int, pairs ...[2]int) *runs.Predictions {
	p := &runs.Predictions{Classes: strings.Split("abcdefghijklmnopqrst", "")[:classes]}
	for _, x := range pairs {
		p.Rows = append(p.Rows, runs.Prediction{Label: x[0], Predicted: x[1], P: make([]float32, classes)})
	}
	return p
}

func TestMacroF1(t *testing.T) {
	for name, c := range map[string]struct {
		p    *runs.Predictions
		want float64
	}{
		"all right":       {predictions(2, [2]int{0, 0}, [2]int{1, 1}), 100},
		"all wrong":       {predictions(2, [2]int{0, 1}, [2]int{1, 0}), 0},
		"one class only":  {predictions(2, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}, [2]int{1, 0}), 100 * (6.0 / 7) / 2},
		"three, by hand":  {predictions(3, [2]int{0, 0}, [2]int{0, 1}, [2]int{1, 1}, [2]int{2, 1}, [2]int{2, 2}), 100 * (2.0/3 + 2.0/4 + 2.0/3) / 3},
		"an absent class": {predictions(3, [2]int{0, 0}, [2]int{1, 1}), 100},
		"unknown labels":  {predictions(2, [2]int{0, 0}, [2]int{-1, 0}, [2]int{1, 1}), 100},
		"no labels":       {predictions(2, [2]int{-1, 0}), math.NaN()},
		"no reviews":      {predictions(2), math.NaN()},
	} {
		got := report.MacroF1(report.Confusion(c.p))
		if math.IsNaN(c.want) {
			assert.True(t, math.IsNaN(got), name)
			continue
		}
		assert.InDelta(t, c.want, got, 1e-12, name)
	}
}

// Only own data have it, and there it stands beside the accuracy.
func TestMacroF1InReport(t *testing.T) {
	mine := reporttest.Sample
	mine.Name = "mine"
	dir := t.TempDir()
	p := predictions(2, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}, [2]int{1, 0})
	p.Classes = []string{"neg", "pos"}
	rep := reporttest.Build(t,
		reporttest.Run{Name: "tme9-mean", Variant: "default", Data: mine, Predictions: p}.Add(t, dir),
		reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Predictions: p}.Add(t, dir))
	text := reporttest.Text(t, rep, 100)
	blocks := strings.Split(text, "\n\n\n")
	require.Len(t, blocks, 2)
	assert.Contains(t, blocks[0], "macro-F1")
	assert.NotContains(t, blocks[1], "macro-F1")
	mean := strings.Split(blocks[0], "\n")[4]
	assert.Regexp(t, `82\.50¹? +42\.86`, mean)
	assert.Contains(t, strings.Join(strings.Fields(blocks[0]), " "), "macro-F1: mean F1 of the classes, in percent; always predicting the largest class has an accuracy of 75.00")
	assert.Contains(t, reporttest.Written(t, rep.Markdown), "| macro-F1 |")
	csv := reporttest.CSV(t, rep.Records())
	assert.Contains(t, csv, ",test_macro_f1,")
	assert.Contains(t, csv, ",42.857142857142854,")
}

// Which classes are confused, by seed summed; a model that predicts one class says so.
func TestConfusions(t *testing.T) {
	mine := reporttest.Sample
	mine.Name = "mine"
	dir := t.TempDir()
	p := predictions(2, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}, [2]int{1, 0})
	p.Classes = []string{"neg", "pos"}
	for i := range p.Rows {
		p.Rows[i].P = []float32{0.75, 0.25}
	}
	rep := reporttest.Build(t,
		reporttest.Run{Name: "tme9-mean", Variant: "default", Data: mine, Predictions: p}.Add(t, dir),
		reporttest.Run{Name: "tme9-mean", Variant: "default", Data: mine, Predictions: p, User: []string{"seed=2"}}.Add(t, dir))
	text := reporttest.Text(t, rep, 100)
	assert.Contains(t, text, `one class only: predicts "neg" for every review; 75.00 % of them are`)
	c, err := tables.NewConfusions(rep)
	require.NoError(t, err)
	text = reporttest.Text(t, c, 100)
	for _, want := range []string{
		`neg +6 +0 +75\.00 +100\.00 +85\.71 +75\.00`, `pos +2 +0 +– +0\.00 +0\.00 +25\.00`,
		`Accuracy 75\.00; always predicting "neg", the largest class, would have 75\.00\.`, `predicts "neg" for every review`, `Sums over 2 runs`,
	} {
		assert.Regexp(t, want, text)
	}
	drawn := c.Shares()
	require.Len(t, drawn, 1)
	assert.Equal(t, []float64{1, 0}, []float64{drawn[0].Of(1, 0), drawn[0].Of(1, 1)}, "shares of the label")
	assert.Contains(t, reporttest.CSV(t, c.Records()), "mine,tme9-mean adam,default,2,pos,neg,2\n")
}
