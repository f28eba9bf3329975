package report_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/runs"
)

// The run nearest the median stands for the seeds: the first of several, and never one without a score.
func TestMiddle(t *testing.T) {
	none := math.NaN()
	for want, scores := range [][]float64{{50}, {50, 52, 90}, {none, none, 3, 70, none, 2}, {90, 40, 99, 53, 50}, {9, 8, 7, 6, 5, 4, 3, 2, 1}, {1, 1, 9, 9, none, 4, 6}} {
		assert.Equal(t, want, report.Middle(scores), scores)
	}
	assert.Zero(t, report.Middle([]float64{none, none}))
}

func TestTypical(t *testing.T) {
	seeds := func(vary string, valid []float64, user ...string) (list []*runs.Run) {
		dir := t.TempDir()
		for i, v := range valid {
			r := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.Sample, Best: 4, Valid: v, Test: []float64{v + float64(i*i)},
				User: append([]string{fmt.Sprintf("%s=%d", vary, i+1)}, user...)}
			list = append(list, r.Add(t, dir))
		}
		return list
	}
	for _, c := range []struct {
		list []*runs.Run
		want int
		why  string
	}{
		{seeds("seed", []float64{80}), 0, ""},
		{seeds("seed", []float64{80, 70, 81}), 0, "of 3 seeds: seed 1, the median by test accuracy"},             // 80, 71, 85
		{seeds("seed", []float64{90, 70, 81, 60}), 1, "of 4 seeds: seed 2, nearest the median by test accuracy"}, // 90, 71, 85, 69
		{seeds("data.test_seed", []float64{80, 90, 81}), 2, "of 3 seeds and divisions: seed 1, data.test_seed=3, the median by test accuracy"},
		{seeds("seed", []float64{60, 90, 81}, "test=never", "select=best"), 2, "of 3 seeds: seed 3, the median by validation accuracy"},
	} {
		run, why := report.Typical(c.list)
		assert.Equal(t, c.list[c.want].Path, run.Path)
		assert.Equal(t, c.why, why)
	}
}
