package chart_test

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

func times() chart.LogLog {
	return chart.LogLog{
		Name: "loglog", Title: "Time", Caption: "caption", X: "words in a review, n", Y: "time a word (ns)",
		Lines: []chart.LogLine{
			{Name: "lstm", X: []float64{64, 256, 1024, 4096}, Y: []float64{410, 400, 420, 600}},
			{Name: "self", X: []float64{64, 256, 1024, 4096}, Y: []float64{900, 1300, 3500, 12000}},
		},
		Guides: []chart.Guide{{Name: "O(n·d²)", Power: 0, X: 256, Y: 400}, {Name: "O(n²·d)", Power: 1, X: 4096, Y: 12000}, {Name: "falling", Power: -1, X: 256, Y: 1000}},
	}
}

func TestLogLogGolden(t *testing.T) {
	f, err := times().Figure()
	require.NoError(t, err)
	reporttest.SamePicture(t, f, canvas.Size{Width: 10 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}

func TestLogLogOnePoint(t *testing.T) {
	l := chart.LogLog{Name: "one", Title: "One", Lines: []chart.LogLine{{Name: "a", X: []float64{64}, Y: []float64{3}}}}
	f, err := l.Figure()
	require.NoError(t, err)
	for _, format := range canvas.Formats {
		require.NoError(t, f.Write(io.Discard, format, canvas.Column))
	}
}

func TestLogLogRefuses(t *testing.T) {
	for want, change := range map[string]func(*chart.LogLog){
		"want 1 to 3 lines":                   func(l *chart.LogLog) { l.Lines = nil },
		"1 to 3 lines and at most":            func(l *chart.LogLog) { l.Guides = append(l.Guides, l.Guides...) },
		"lstm: 4 sizes and 3 numbers":         func(l *chart.LogLog) { l.Lines[0].Y = l.Lines[0].Y[:3] },
		"lstm: 0 sizes":                       func(l *chart.LogLog) { l.Lines[0] = chart.LogLine{Name: "lstm"} },
		"lstm: -1 at 64 cannot stand":         func(l *chart.LogLog) { l.Lines[0].Y[0] = -1 },
		"self: 900 at 0 cannot":               func(l *chart.LogLog) { l.Lines[1].X = []float64{0, 1, 2, 3} },
		"lstm: NaN at 256":                    func(l *chart.LogLog) { l.Lines[0].Y[1] = math.NaN() },
		"O(n²·d): no line through (4096, +In": func(l *chart.LogLog) { l.Guides[1].Y = math.Inf(1) },
	} {
		l := times()
		change(&l)
		_, err := l.Figure()
		assert.ErrorContains(t, err, want)
	}
}
