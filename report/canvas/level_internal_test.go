package canvas

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// The label stands where no line passes.
func TestLevelKeepsClear(t *testing.T) {
	for name, c := range map[string]struct {
		y           float64
		left, below bool
		around      []plotter.XYs
	}{
		"alone":               {50, false, false, nil},
		"at the top":          {99, false, true, nil},
		"a curve ends above":  {50, false, true, []plotter.XYs{{{X: 0, Y: 90}, {X: 10, Y: 52}}}},
		"and another below":   {50, true, false, []plotter.XYs{{{X: 0, Y: 90}, {X: 10, Y: 52}}, {{X: 0, Y: 10}, {X: 10, Y: 48}}}},
		"all but left, below": {50, true, true, []plotter.XYs{{{X: 0, Y: 54}, {X: 10, Y: 54}}, {{X: 9.5, Y: 46}}}},
		"nowhere is free":     {50, false, false, []plotter.XYs{{{X: 0, Y: 54}, {X: 10, Y: 54}}, {{X: 0, Y: 46}, {X: 10, Y: 46}}}},
	} {
		var drawn recorder.Canvas
		p := plot.New()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 100
		l := Level{Y: c.y, Label: "chance", Text: Style{Unit: 1}.Text(6.5, Faint), Around: c.around}
		l.Plot(draw.NewCanvas(&drawn, 200, 100), p)
		var at *recorder.FillString
		for _, a := range drawn.Actions {
			if f, ok := a.(*recorder.FillString); ok {
				at = f
			}
		}
		require.NotNil(t, at, name)
		require.Equal(t, c.left, at.Point.X < 100, name)
		require.Equal(t, c.below, at.Point.Y < vg.Length(c.y), name)
	}
}
