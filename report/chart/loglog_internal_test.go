package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/report/canvas"
)

func labels(low, high float64) []string {
	var out []string
	for _, t := range (canvas.DecadeTicks{}).Ticks(math.Log10(low), math.Log10(high)) {
		out = append(out, t.Label)
	}
	return out
}

func TestDecadeTicks(t *testing.T) {
	assert.Equal(t, []string{"100", "200", "500", "1000", "2000"}, labels(80, 2100))
	assert.Equal(t, []string{"0.02", "0.05", "0.1", "0.2"}, labels(0.011, 0.3))
	assert.Equal(t, []string{"1", "2", "5", "10"}, labels(1, 10), "ends are labelled")
	assert.Equal(t, []string{"0.001", "0.01", "0.1", "1", "10"}, labels(0.0009, 11))
	assert.Equal(t, []string{"1e-06", "2e-06"}, labels(0.9e-6, 3e-6))
}

func TestSizeTicks(t *testing.T) {
	l := LogLine{X: []float64{64, 128, 256}}
	got := sizeTicks([]LogLine{l, {X: []float64{512, 128}}})
	assert.Len(t, got, 4)
	assert.Equal(t, "512", got[3].Label)
	var many LogLine
	for i := range 25 {
		many.X = append(many.X, float64(i+1))
	}
	assert.Len(t, sizeTicks([]LogLine{many}), 9)
}
