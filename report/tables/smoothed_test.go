package tables_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// A run that was tested at its end only shows no smoothed end of test and no last five epochs,
// and the keys say why; one that was tested after each has both.
func TestSmoothedOnlyOfTestedEpochs(t *testing.T) {
	shown := func(test ...float64) string {
		run := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Epochs: len(test), Set: []string{"epochs=6"}, Test: test}.Add(t, t.TempDir())
		rep := tables.Build([]*runs.Run{run}, tables.Options{Smooth: 0.5})
		var text bytes.Buffer
		require.NoError(t, rep.Text(&text, 0, false))
		return text.String()
	}
	none := math.NaN()
	text := shown(none, none, none, none, none, 80)
	assert.Contains(t, text, "; smoothed test numbers need a run tested after each epoch that weighs in them (test.tail); the mean of the last 5 needs each of these")
	assert.Regexp(t, `tme9-mean adam +default +0\.\d+ +[0-9.]+ +–\n`, text)
	assert.NotContains(t, text, "last 5 epochs")
	text = shown(80, 80, 80, 80, 80, 80)
	assert.NotContains(t, text, "smoothed test is")
	assert.Regexp(t, `tme9-mean adam +default +0\.\d+ +0\.\d+ +[0-9.]+ +80\.00 +80\.00\n`, text)
}
