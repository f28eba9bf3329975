package figures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
)

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
