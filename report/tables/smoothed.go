package tables

import (
	"fmt"
	"math"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
)

// smoothedTable sets the ends of the smoothed curves beside what was printed, which is
// such an end in TME 10; nil where nobody asks for it.
func (b *Block) smoothedTable() *render.Table {
	if b.smooth == 0 || len(b.Task().Decoded) > 0 {
		return nil
	}
	t := &render.Table{Caption: fmt.Sprintf("Ends of the curves, smoothed with weight %g as TensorBoard does", b.smooth), Columns: []render.Column{
		{Left: true, Keep: true}, {Head: "variant", Left: true}, {Head: "train loss", Level: 2}, {Head: "test loss", Level: 2},
		{Head: "train acc.", Level: 1}, {Head: "test acc.", Keep: true}, {Head: "Δ points"},
		{Head: fmt.Sprintf("test acc., last %d epochs", report.LastEpochs), Level: 1},
	}}
	for _, row := range b.Rows {
		label := row.Label()
		if p := row.Published; p != nil {
			n := report.PublishedNumbers(p)
			t.Add(render.Entry{Text: label}, render.Entry{Text: "published"}, render.Entry{Text: format.Fixed(n.TrainLoss, 3)}, render.Entry{Text: format.Fixed(n.TestLoss, 3)},
				render.Entry{Text: format.Fixed(n.TrainAcc, 2)}, render.Entry{Text: format.Fixed(n.TestAcc, 2)}, render.Entry{}, render.Entry{})
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
			number := func(m stats.Moments, decimals int) render.Entry {
				e := render.Entry{Text: format.Fixed(m.Mean, decimals), Faint: math.IsNaN(m.Mean)}
				if m.N > 1 {
					e.More = fmt.Sprintf("± %s (%d)", format.Fixed(m.SD, decimals), m.N)
				}
				return e
			}
			test, apart := end(report.TestAcc), math.NaN()
			if c.comparable() {
				apart = test.Mean - report.PublishedNumbers(c.Runs[0].Config.Published).TestAcc
			}
			t.Add(render.Entry{Text: label}, render.Entry{Text: v},
				number(end(func(n report.Numbers) float64 { return n.TrainLoss }), 3), number(end(func(n report.Numbers) float64 { return n.TestLoss }), 3),
				number(end(func(n report.Numbers) float64 { return n.TrainAcc }), 2), number(test, 2),
				render.Entry{Text: format.Signed(apart), Faint: math.IsNaN(apart)},
				number(c.ends(b.smooth, lastEpochs), 2))
			label = ""
		}
	}
	return t.Filled()
}

func lastEpochs(e report.Ends) float64 { return e.Last.TestAcc }

// unsmoothed reports whether a cell lacks an end of its test curve, for its runs were not tested
// after each epoch that weighs in it.
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

// ends sums up how the curves of the seeds end. What cannot be read has a note.
func (c *Cell) ends(weight float64, of func(report.Ends) float64) stats.Moments {
	var values []float64
	for _, r := range c.Runs {
		e, _ := r.Ends(weight)
		values = append(values, of(e))
	}
	return stats.Summarise(values)
}

// smoothedFields are the columns of the CSV that are there on demand.
func (r *Report) smoothedFields() []field {
	if r.smooth == 0 {
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
			e, _ := x.Ends(r.smooth)
			return c.of(e)
		}))
	}
	return out
}
