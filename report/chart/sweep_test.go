package chart_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

func TestSweep(t *testing.T) {
	s := chart.Sweep{Name: "lr x", Title: "Loss over a rising learning rate", X: []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1}, Y: []float64{0.7, 0.69, 0.6, 0.5, 0.65, 40}, Suggested: 1e-3, Set: 0.5}
	f, err := s.Figure()
	require.NoError(t, err)
	require.Equal(t, "lr-x", f.Name)
	var svg bytes.Buffer
	require.NoError(t, f.Write(&svg, "svg", canvas.Page))
	for _, text := range []string{"learning rate", "loss (nats)", "suggested, 0.001", "set, 0.5", ">0.01<", ">0.6<"} {
		require.Contains(t, svg.String(), text)
	}
	require.NotContains(t, svg.String(), ">40<", "what blew up does not stretch the axis")

	flat := chart.Sweep{Title: "flat", X: []float64{1e-5, 1e-4}, Y: []float64{0.5, 0.5}}
	f, err = flat.Figure()
	require.NoError(t, err)
	svg.Reset()
	require.NoError(t, f.Write(&svg, "svg", canvas.Column))
	require.Contains(t, svg.String(), ">0.54<", "at chance the axis spans a tenth of a nat")
	require.NotContains(t, svg.String(), ">0.501<")

	for _, bad := range []chart.Sweep{
		{},
		{X: []float64{1}, Y: []float64{1}},
		{X: []float64{1, 2}, Y: []float64{1}},
		{X: []float64{0, 1}, Y: []float64{1, 1}},
		{X: []float64{1, 2}, Y: []float64{1, math.NaN()}},
		{X: []float64{1, math.Inf(1)}, Y: []float64{1, 1}},
	} {
		_, err := bad.Figure()
		require.Error(t, err)
	}
}
