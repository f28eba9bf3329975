package figures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
)

// Where a seed has gone wrong an interval reaches far: what is drawn of accuracies ends
// at 100 %.
func TestWaterfallEndsAtAllRight(t *testing.T) {
	p := reporttest.Plan(t)
	p.States[0].Side = reporttest.Side(t, "original", append(reporttest.Right(500, 400)[:2], reporttest.Right(500, 200)[0])...)
	l := must.Get(compare.NewLadder(p))(t)
	c := l.Down[0].Comparison
	require.Greater(t, c.Accuracy[0].Mean+c.Interval.High, 100.0)
	f := figures.Waterfall(l)
	assert.Contains(t, f.Caption, "without an end goes on beyond the axis")
	svg := must.Get(f.Inline())(t)
	assert.Contains(t, svg, ">100</text>")
	assert.NotRegexp(t, `>1[1-9]\d</text>`, svg)
}

func TestGoldenWaterfall(t *testing.T) {
	l := must.Get(compare.NewLadder(reporttest.Plan(t)))(t)
	f := figures.Waterfall(l)
	reporttest.SamePicture(t, f, canvas.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
