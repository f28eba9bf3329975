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
func (b *Block) smoothedTable() []*term.Table {
	if b.smooth == 0 || b.decodes() {
		return nil
	}
	label, acc := render.Words("", 0), render.Numbers("test acc.", 0)
	label.Keep, acc.Keep = true, true
	t := render.NewTable(fmt.Sprintf("Ends of the curves, smoothed with weight %g as TensorBoard does", b.smooth),
		label, render.Words("variant", 0), render.Numbers("train loss", 2), render.Numbers("test loss", 2),
		render.Numbers("train acc.", 1), acc, render.Numbers("Δ points", 0),
		render.Numbers(fmt.Sprintf("test acc., last %d epochs", report.LastEpochs), 1))
	return []*term.Table{b.fill(t, func(p *runs.Published) []term.Cell {
		n := report.PublishedMetrics(p)
		return []term.Cell{{Text: format.Optional(n.TrainLoss, 3)}, {Text: format.Optional(n.TestLoss, 3)},
			{Text: format.Optional(n.TrainAcc, 2)}, {Text: format.Optional(n.TestAcc, 2)}, {}, {}}
	}, func(c *Cell) []term.Cell {
		smooth := func(key string) stats.Moments {
			return c.over(func(r *report.Result) float64 { return r.Ends(key, b.smooth).Smoothed })
		}
		test, difference := smooth("test_acc"), math.NaN()
		if c.comparable() {
			difference = test.Mean - report.PublishedMetrics(c.Runs[0].Config.Published).Get("test_acc")
		}
		return []term.Cell{render.Mean(smooth("train_loss"), 3), render.Mean(smooth("test_loss"), 3), render.Mean(smooth("train_acc"), 2),
			render.Mean(test, 2), {Text: format.Signed(difference), Faint: math.IsNaN(difference)}, render.Mean(c.lastEpochs(), 2)}
	})}
}

// lastEpochs summarises the seeds' mean test accuracy of the last epochs.
func (c *Cell) lastEpochs() stats.Moments {
	return c.over(func(r *report.Result) float64 { return r.Ends("test_acc", 0).Last })
}
