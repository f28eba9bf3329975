package report_test

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/report"
)

func times() report.LogLog {
	return report.LogLog{
		Name: "loglog", Title: "Time", Caption: "caption", X: "words in a review, n", Y: "time a word (ns)",
		Lines: []report.LogLine{
			{"lstm", []float64{64, 256, 1024, 4096}, []float64{410, 400, 420, 600}},
			{"self", []float64{64, 256, 1024, 4096}, []float64{900, 1300, 3500, 12000}},
		},
		Guides: []report.Guide{{"O(n·d²)", 0, 256, 400}, {"O(n²·d)", 1, 4096, 12000}, {"falling", -1, 256, 1000}},
	}
}

func TestLogLogGolden(t *testing.T) {
	f, err := times().Figure()
	require.NoError(t, err)
	samePicture(t, f, report.Size{Width: 10 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}

func TestLogLogOnePoint(t *testing.T) {
	l := report.LogLog{Name: "one", Title: "One", Lines: []report.LogLine{{"a", []float64{64}, []float64{3}}}}
	f, err := l.Figure()
	require.NoError(t, err)
	for _, format := range report.Formats {
		require.NoError(t, f.Write(io.Discard, format, report.Column))
	}
}

func TestLogLogRefuses(t *testing.T) {
	for want, change := range map[string]func(*report.LogLog){
		"want 1 to 3 lines":                   func(l *report.LogLog) { l.Lines = nil },
		"1 to 3 lines and at most":            func(l *report.LogLog) { l.Guides = append(l.Guides, l.Guides...) },
		"lstm: 4 sizes and 3 numbers":         func(l *report.LogLog) { l.Lines[0].Y = l.Lines[0].Y[:3] },
		"lstm: 0 sizes":                       func(l *report.LogLog) { l.Lines[0] = report.LogLine{Name: "lstm"} },
		"lstm: -1 at 64 cannot stand":         func(l *report.LogLog) { l.Lines[0].Y[0] = -1 },
		"self: 900 at 0 cannot":               func(l *report.LogLog) { l.Lines[1].X = []float64{0, 1, 2, 3} },
		"lstm: NaN at 256":                    func(l *report.LogLog) { l.Lines[0].Y[1] = math.NaN() },
		"O(n²·d): no line through (4096, +In": func(l *report.LogLog) { l.Guides[1].Y = math.Inf(1) },
	} {
		l := times()
		change(&l)
		_, err := l.Figure()
		assert.ErrorContains(t, err, want)
	}
}
