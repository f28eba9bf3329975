package tables

import (
	"fmt"
	"math"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
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
	for _, row := range b.Rows {
		label := row.Label()
		if p := row.Published; p != nil {
			n := report.PublishedNumbers(p)
			t.Add(label, "published", format.Fixed(n.TrainLoss, 3), format.Fixed(n.TestLoss, 3), format.Fixed(n.TrainAcc, 2), format.Fixed(n.TestAcc, 2), "", "")
			label = ""
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil {
				continue
			}
			end := func(of func(report.Numbers) float64) stats.Moments {
				return c.ends(b.smooth, func(e report.Ends) float64 { return of(e.Smoothed) })
			}
			cell := func(m stats.Moments, decimals int) term.Cell {
				out := number(m.Mean, decimals)
				if m.N > 1 {
					out.More = fmt.Sprintf("± %s (%d)", format.Fixed(m.SD, decimals), m.N)
				}
				return out
			}
			test, difference := end(report.TestAcc), math.NaN()
			if c.comparable() {
				difference = test.Mean - report.PublishedNumbers(c.Runs[0].Config.Published).TestAcc
			}
			t.AddCells([]term.Cell{{Text: label}, {Text: v},
				cell(end(func(n report.Numbers) float64 { return n.TrainLoss }), 3), cell(end(func(n report.Numbers) float64 { return n.TestLoss }), 3),
				cell(end(func(n report.Numbers) float64 { return n.TrainAcc }), 2), cell(test, 2),
				{Text: format.Signed(difference), Faint: math.IsNaN(difference)}, cell(c.ends(b.smooth, lastEpochs), 2)}...)
			label = ""
		}
	}
	return t.Filled()
}

func lastEpochs(e report.Ends) float64 { return e.Last.TestAcc }

// unsmoothed reports whether the end of a test curve is missing in a cell, because its runs were
// not tested after each epoch that weighs in it.
func (b *Block) unsmoothed() bool {
	if b.smooth == 0 || len(b.Task().Decoded) > 0 {
		return false
	}
	for _, c := range b.All() {
		smoothed := c.ends(b.smooth, func(e report.Ends) float64 { return e.Smoothed.TestAcc })
		if last := c.ends(b.smooth, lastEpochs); !c.Runs[0].Trial() && math.IsNaN(smoothed.Mean+last.Mean) {
			return true
		}
	}
	return false
}

// ends summarises the ends of the seeds' curves. Runs that cannot be read have a note.
func (c *Cell) ends(weight float64, of func(report.Ends) float64) stats.Moments {
	return c.over(func(r *report.Result) float64 {
		e, _ := r.Ends(weight)
		return of(e)
	})
}

// smoothedFields are the columns of the CSV with Options.Smooth.
func smoothedFields(weight float64) []field {
	if weight == 0 {
		return nil
	}
	var out []field
	for _, c := range []struct {
		name string
		of   func(report.Ends) float64
	}{
		{"smoothed_train_loss", func(e report.Ends) float64 { return e.Smoothed.TrainLoss }},
		{"smoothed_test_loss", func(e report.Ends) float64 { return e.Smoothed.TestLoss }},
		{"smoothed_train_acc", func(e report.Ends) float64 { return e.Smoothed.TrainAcc }},
		{"smoothed_test_acc", func(e report.Ends) float64 { return e.Smoothed.TestAcc }},
		{"last_epochs_test_acc", lastEpochs},
	} {
		out = append(out, numberField(c.name, func(x *report.Result) float64 {
			e, _ := x.Ends(weight)
			return c.of(e)
		}))
	}
	return out
}
