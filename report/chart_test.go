package report_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// shades is the number of colours of a scale.
const shades = 255

// cells returns the picture that a matrix of one row between low and high is drawn as.
func cells(t *testing.T, low, high float64, values ...float64) *image.Paletted {
	t.Helper()
	m := chart.Matrix{Rows: 1, Cols: len(values), Low: low, High: high, At: func(_, j int) float64 { return values[j] }}
	var drawn recorder.Canvas
	m.Draw(canvas.Page.Style()).Draw(draw.NewCanvas(&drawn, 200, 100))
	for _, a := range drawn.Actions {
		if d, is := a.(*recorder.DrawImage); is {
			return d.Image.(*image.Paletted)
		}
	}
	require.Fail(t, "no picture")
	return nil
}

// Printed in grey, the colours grow lighter or darker in one direction, from end to end.
func TestColourMapsPrintInGrey(t *testing.T) {
	for _, c := range []struct {
		name   string
		ends   [2]float64
		rising bool // lighter where larger
	}{
		{"diverging", [2]float64{-1, 1}, true},
		{"diverging, uneven", [2]float64{-20, 50}, true},
		{"sequential", [2]float64{0, 1}, false},
		{"nearly all above zero", [2]float64{-1, 50}, false},
		{"below zero", [2]float64{-7, -3}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			palette := cells(t, c.ends[0], c.ends[1], 0).Palette
			require.Len(t, palette, shades+1)
			last := -1.0
			for i := range shades {
				r, g, b, _ := palette[i].RGBA()
				luma := (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 0xffff
				if !c.rising {
					luma = 1 - luma
				}
				require.GreaterOrEqual(t, luma, last-0.004, "shade %d", i) // up to rounding
				last = luma
			}
			assert.GreaterOrEqual(t, last, 0.7)
		})
	}
}

// Zero is grey, and equal distances from it are equally far along the map.
func TestDivergingScale(t *testing.T) {
	drawn := cells(t, -20, 50, 0)
	r, g, b, _ := drawn.At(0, 0).RGBA()
	assert.InDelta(t, r>>8, g>>8, 10)
	assert.InDelta(t, g>>8, b>>8, 10)
	assert.Equal(t, color.NRGBA{0x00, 0x20, 0x4d, 0xff}, cells(t, -50, 50, 0).Palette[0], "the one end of cividis")
	assert.Equal(t, color.NRGBA{0xff, 0xea, 0x46, 0xff}, drawn.Palette[shades-1], "the other")
	assert.Equal(t, color.NRGBA{0x4e, 0x56, 0x6c, 0xff}, drawn.Palette[0], "at 0.5 − 20/100 between them, 0.7 of the way from the third to the fourth of its ten stops")
}

func TestAbbreviated(t *testing.T) {
	for word, want := range map[string]string{"fourteen-runes": "fourteen-runes", "incontrovertible": "incontroverti…", "ééééééééééééééé": "ééééééééééééé…"} {
		p := chart.Matrix{Rows: 1, Cols: 1, Words: []string{word}}.Draw(canvas.Page.Style())
		assert.Equal(t, want, p.Y.Tick.Marker.Ticks(0, 1)[0].Label)
	}
}

// A run at chance, and one epoch of a good one, once had axes of 0.6928 to 0.6938 and of
// 68.1599990.
func TestAxisSpansSomething(t *testing.T) {
	half, third := slices.Repeat([]float64{0.5}, 2), slices.Repeat([]float64{1. / 3}, 3)
	loss := chart.LossScale(half).Axis(chart.Span{Low: 0.6929, High: 0.6937})
	assert.InDelta(t, 0.1, loss.Width(), 0.01)
	assert.True(t, loss.Low < math.Ln2 && math.Ln2 < loss.High)
	one := chart.AccuracyScale(half).Axis(chart.Span{Low: 68.16, High: 68.16})
	assert.InDelta(t, 10.8, one.Width(), 1e-9)
	assert.Equal(t, chart.Span{Low: 90, High: 100}, chart.AccuracyScale(half).Alone(chart.Span{Low: 99, High: 100}), "nothing above 100")
	assert.Equal(t, chart.Span{Low: 0, High: 0.1}, chart.LossScale(half).Alone(chart.Span{Low: 0.001, High: 0.002}), "nothing below 0")
	assert.Equal(t, "chance, 33.3 %", chart.AccuracyScale(third).Named)
	assert.Equal(t, "chance, ln 3", chart.LossScale(third).Named)
	assert.Zero(t, chart.AccuracyScale([]float64{1}).Chance)
	assert.Equal(t, "largest class of test, 54.12 %", chart.AccuracyScale([]float64{0.4588, 0.5412}).Named, "the classes are unequal")
	assert.InDelta(t, 0.5004, chart.LossScale([]float64{0.2, 0.8}).Chance, 1e-4)
	assert.Equal(t, chart.Span{Low: 82, High: 97}, chart.AccuracyScale(half).Alone(chart.Span{Low: 82, High: 97}), "chance is far away")
}

// Labels that would be printed over each other are left out, sooner in narrower panels.
func TestLabelsHaveRoom(t *testing.T) {
	all := []float64{0.000127, 0.000383, 0.00129, 0.00384}
	for columns, want := range [][]string{1: {"0.000127", "0.000383", "0.00129", "0.00384"}, 3: {"0.000127", "", "0.00129", ""}} {
		if want != nil {
			var labels []string
			for _, tick := range chart.ValueTicks(all, true, columns).Ticks(-4, -2.3) {
				labels = append(labels, tick.Label)
			}
			assert.Equal(t, want, labels)
		}
	}
}
