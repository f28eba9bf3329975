package figures_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

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

// Bins hold every review once, rise in confidence, and do not depend on the order
// of the file.
func TestReliabilityProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &runs.Predictions{Classes: []string{"a", "b"}}
		for range rapid.IntRange(1, 60).Draw(t, "reviews") {
			eighths := rapid.IntRange(0, 8).Draw(t, "eighths") // exact in float64 however they are summed
			p.Rows = append(p.Rows, sure(float32(eighths)/8, rapid.Bool().Draw(t, "right")))
		}
		n := rapid.IntRange(1, 15).Draw(t, "bins")
		bins := figures.Reliability(p, n)
		assert.LessOrEqual(t, len(bins), n)
		reviews, last := 0, -1.0
		for _, b := range bins {
			reviews += b.Reviews
			assert.Greater(t, b.Confidence, last)
			last = b.Confidence
		}
		assert.Equal(t, len(p.Rows), reviews)
		e := figures.CalibrationError(p)
		assert.True(t, e >= 0 && e <= 1, e)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(p.Rows), func(i, j int) { p.Rows[i], p.Rows[j] = p.Rows[j], p.Rows[i] })
		assert.Equal(t, bins, figures.Reliability(p, n))
	})
}

func TestGoldenCalibration(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t), reporttest.Order...), "calibration-imdb")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 7 * vg.Centimeter, DPI: 80})
}
