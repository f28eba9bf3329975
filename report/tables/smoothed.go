package tables

import (
	"fmt"
	"math"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// smoothedTable has the ends of the smoothed curves; TME 10 was printed from such ends. It is nil
// without Options.Smooth.
func (b *Block) smoothedTable() *term.Table {
	if b.smooth == 0 || len(b.Task().Decoded) > 0 {
		return nil
	}
	acc := render.Numbers("test acc.", 0)
	acc.Keep = true
	t := render.NewTable(fmt.Sprintf("Ends of the curves, smoothed with weight %g as TensorBoard does", b.smooth),
		render.Words("", 0), render.Words("variant", 0), render.Numbers("train loss", 2), render.Numbers("test loss", 2),
		render.Numbers("train acc.", 1), acc, render.Numbers("Δ points", 0),
		render.Numbers(fmt.Sprintf("test acc., last %d epochs", report.LastEpochs), 1))
	t.Columns[0].Keep = true
	return b.fill(t, func(p *runs.Published) []term.Cell {
		n := report.PublishedMetrics(p)
		return []term.Cell{{Text: format.Optional(n.TrainLoss, 3)}, {Text: format.Optional(n.TestLoss, 3)},
			{Text: format.Optional(n.TrainAcc, 2)}, {Text: format.Optional(n.TestAcc, 2)}, {}, {}}
	}, func(c *Cell) []term.Cell {
		test, difference := c.ends("test_acc", b.smooth), math.NaN()
		if c.comparable() {
			difference = test.Mean - report.PublishedMetrics(c.Runs[0].Config.Published).Get("test_acc")
		}
		return []term.Cell{
			render.Mean(c.ends("train_loss", b.smooth), 3), render.Mean(c.ends("test_loss", b.smooth), 3), render.Mean(c.ends("train_acc", b.smooth), 2), render.Mean(test, 2),
			{Text: format.Signed(difference), Faint: math.IsNaN(difference)}, render.Mean(c.lastEpochs(), 2)}
	})
}

// unsmoothed reports whether the end of a test curve is missing in a cell, because its runs were
// not tested after each epoch that weighs in it.
func (b *Block) unsmoothed() bool {
	if b.smooth == 0 || len(b.Task().Decoded) > 0 {
		return false
	}
	for _, c := range b.All() {
		if !c.Runs[0].Trial() && math.IsNaN(c.ends("test_acc", b.smooth).Mean+c.lastEpochs().Mean) {
			return true
		}
	}
	return false
}

// ends summarises the ends of the seeds' smoothed curves of a metric.
func (c *Cell) ends(key string, weight float64) stats.Moments {
	return c.over(func(r *report.Result) float64 { return r.Ends(key, weight).Smoothed })
}

// lastEpochs summarises the seeds' mean test accuracy of the last epochs.
func (c *Cell) lastEpochs() stats.Moments {
	return c.over(func(r *report.Result) float64 { return r.Ends("test_acc", 0).Last })
}

// smoothedFields are the columns of the CSV with Options.Smooth.
func smoothedFields(weight float64) (out []field) {
	if weight == 0 {
		return nil
	}
	for _, key := range []string{"train_loss", "test_loss", "train_acc", "test_acc"} {
		out = append(out, numberField("smoothed_"+key, func(r *report.Result) float64 { return r.Ends(key, weight).Smoothed }))
	}
	return append(out, numberField("last_epochs_test_acc", func(r *report.Result) float64 { return r.Ends("test_acc", weight).Last }))
}
