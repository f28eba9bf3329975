package tables_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/runs"
)

// The published code stands in the row of the report, and is held against what it logged;
// old runs of both beside the numbers that are known now.
func TestPublishedCode(t *testing.T) {
	dir := t.TempDir()
	old := &runs.Published{Row: "self-attention, Adam", TrainAcc: 75.9, TestAcc: 74, TrainLoss: 0.539, TestLoss: 0.558, Epochs: 42, Source: "TME 10, figure 17"}
	run := func(variant, set string, test float64) *runs.Run {
		return reporttest.Run{Name: "tme10-self", Variant: variant, Set: []string{set}, Data: reporttest.IMDB, Published: old, Test: []float64{test}}.Add(t, dir)
	}
	rep := reporttest.Build(t, run("original", "epochs=2", 76), run("code", "epochs=3", 77.73))
	row := rep.Blocks[0].Rows[0]
	assert.Equal(t, 75.9, row.Published.TestAcc)
	assert.InDelta(t, 0.1, row.Cells["original"].Difference, 1e-9)
	assert.InDelta(t, 0.03, row.Cells["code"].Difference, 1e-9)
	assert.Equal(t, []string{"original", "default", "code"}, rep.Blocks[0].Variants)
	texts := ""
	for _, n := range row.Cells["code"].Notes {
		texts += n.Text + "\n"
	}
	assert.Contains(t, texts, "Δ is to 77.70 after 20 epochs: TME 10, the authors' notebook (78.8 and 78.6 after 42)")
}
