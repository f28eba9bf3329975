package figures_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"

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

func TestGoldenCalibration(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t), reporttest.Order...), "calibration-imdb")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 7 * vg.Centimeter, DPI: 80})
}
