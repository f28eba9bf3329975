package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// wilson heads the intervals in the accuracy table; over divisions of the data they are others.
const wilson, overDivisions = "95 % Wilson", "95 % interval"

// Divided reports whether a cell is over several divisions of the data.
func (b *Block) Divided() bool { return b.any((*Cell).Divided) }

// accuracyTable puts the variants of each row next to the published number.
func (b *Block) accuracyTable(notes *render.Footnotes) *term.Table {
	published := render.Numbers("published", 0)
	published.Keep = b.compared
	t := render.NewTable("Test accuracy", render.Words("", 0), published)
	companion := "Δ points"
	macro := b.hasMacroF1()
	switch {
	case b.decodes():
		t.Caption, companion = "Exact match on test", "BLEU"
	case macro: // own data, for which nothing is published
		companion = "macro-F1"
	}
	interval := wilson
	if b.Divided() {
		interval = overDivisions
	}
	for _, v := range b.Variants {
		accuracy := render.Numbers(v, 0)
		accuracy.Keep = true
		t.Columns = append(t.Columns, accuracy, render.Numbers(companion, 1), render.Numbers(interval, 2))
	}
	for _, row := range b.Rows {
		line := []term.Cell{{Text: row.Label()}, {Text: format.None, Faint: true}}
		if b.compared {
			line[1].Marks = notes.Mark(row.Notes)
		}
		if row.Published != nil {
			line[1].Text, line[1].Faint = format.Fixed(report.PublishedMetrics(row.Published).Get("test_acc"), 2), false
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil {
				line = append(line, term.Cell{}, term.Cell{}, term.Cell{})
				continue
			}
			acc := c.Score()
			line = append(line, term.Cell{Text: format.Fixed(acc.Mean, 2), More: c.Spread(acc), Marks: notes.Mark(c.Notes), Faint: acc.N == 0},
				c.companion(macro), term.Cell{Text: render.Between(c.Interval()), Faint: true})
		}
		t.AddCells(line...)
	}
	return t.Filled()
}

// companion is the entry next to the score: BLEU of translations, macro-F1 of own data, otherwise
// the difference from the published accuracy.
func (c *Cell) companion(macro bool) term.Cell {
	switch {
	case len(c.Task().Decoded) > 0:
		return number(c.Stat("test_bleu").Mean, 2)
	case macro:
		return number(c.MacroF1().Mean, 2)
	}
	return term.Cell{Text: format.Signed(c.Difference), Faint: math.IsNaN(c.Difference)}
}

// number is the entry of a number, faint if it is NaN.
func number(v float64, decimals int) term.Cell {
	return term.Cell{Text: format.Fixed(v, decimals), Faint: math.IsNaN(v)}
}

// Spread formats what follows a mean accuracy: its standard deviation over the seeds, and the
// chosen epochs.
func (c *Cell) Spread(acc stats.Moments) string {
	out := render.Spread(acc, 2)
	if c.Runs[0].Best() {
		out = strings.TrimSpace(out + " @" + c.epochs(func(r *report.Result) int { return r.Chosen.Epoch }))
	}
	return out
}

// epochs formats one epoch of each run: 17, or 15–19 over seeds.
func (c *Cell) epochs(of func(*report.Result) int) string {
	all := report.Map(c.Runs, of)
	low, high := slices.Min(all), slices.Max(all)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

// detailTable has a line for each cell, with the columns of the published table and more. Which of them
// a narrow terminal drops first depends on the task.
func (b *Block) detailTable() *term.Table {
	accuracy, match := 0, 1
	if b.decodes() {
		accuracy, match = 1, 0
	}
	metrics := []struct {
		head, key          string
		decimals, optional int
	}{
		{"train loss", "train_loss", 3, 3},
		{"valid loss", "valid_loss", 3, 4},
		{"test loss", "test_loss", 3, 2},
		{"train acc.", "train_acc", 2, accuracy},
		{"valid acc.", "valid_acc", 2, 3},
		{"test acc.", "test_acc", 2, accuracy},
		{"exact match", "test_exact", 2, match},
		{"BLEU", "test_bleu", 2, 2},
		{"train entropy", "train_entropy", 2, 4},
		{"test entropy", "test_entropy", 2, 2},
	}
	label := render.Words("", 0)
	label.Keep = true
	t := render.NewTable("All metrics", label, render.Words("variant", 0), render.Numbers("seeds", 4), render.Numbers("epoch", 1))
	for _, m := range metrics {
		t.Columns = append(t.Columns, render.Numbers(m.head, m.optional))
	}
	t.Columns = append(t.Columns, term.Column{Head: "runs", Optional: 5, Holds: term.IDs}, term.Column{Head: "cite as", Optional: 6, Holds: term.Citations})
	return b.fill(t, func(p *runs.Published) []term.Cell {
		line := []term.Cell{{}, {Text: fmt.Sprint(p.Epochs)}}
		for _, m := range metrics {
			var c term.Cell
			if slices.Contains([]string{"train loss", "test loss", "train acc.", "test acc."}, m.head) {
				c.Text = format.Fixed(report.PublishedMetrics(p).Get(m.key), m.decimals)
			}
			line = append(line, c)
		}
		return append(line, term.Cell{}, term.Cell{})
	}, func(c *Cell) []term.Cell {
		line := []term.Cell{{Text: fmt.Sprint(len(c.Runs))}, {Text: c.epochs(func(r *report.Result) int { return r.Chosen.Epoch })}}
		for _, m := range metrics {
			line = append(line, number(c.Stat(m.key).Mean, m.decimals))
		}
		return append(line, term.Cell{Text: report.IDs(c.Runs), Faint: true}, b.citations(c))
	})
}

// citations is the entry of how to cite the finished runs behind a cell; empty unless Options.Cite.
func (b *Block) citations(c *Cell) term.Cell {
	if !b.cited {
		return term.Cell{Faint: true}
	}
	return term.Cell{Text: report.Citations(c.Runs), Faint: true}
}

// keys explains the signs in the block's tables that occur in columns with these heads.
func (b *Block) keys(shown []string) string {
	has := func(end string) bool {
		return slices.ContainsFunc(shown, func(head string) bool { return strings.HasSuffix(head, end) })
	}
	best := func(trial bool) bool {
		return b.any(func(c *Cell) bool { return c.Runs[0].Trial() == trial && c.Runs[0].Best() })
	}
	entropies := has("entropy") && b.any(func(c *Cell) bool { return !c.Runs[0].Trial() && c.Stat("test_entropy").N > 0 })
	gap := func(c *Cell) bool {
		end := c.over(func(r *report.Result) float64 { return r.Ends("test_acc", b.smooth).Smoothed })
		return !c.Runs[0].Trial() && math.IsNaN(end.Mean+c.lastEpochs().Mean)
	}
	first, unpublished, largest := "Accuracies in percent", "nothing is published for these experiments", math.NaN()
	if b.decodes() {
		first = "Exact match, accuracies of the next word and BLEU from 0 to 100"
	}
	for _, row := range b.Rows {
		if slices.ContainsFunc(row.Notes, func(n report.Note) bool { return n.Kind == report.OtherData }) {
			unpublished = "nothing is published for these reviews"
		}
	}
	for _, r := range b.results() { // one of them has it for all, as they have the same test set
		if !math.IsNaN(r.MacroF1) && math.IsNaN(largest) {
			largest = 100 * slices.Max(r.Shares)
		}
	}
	return render.Keys([]render.Key{
		{true, first},
		{has(wilson), "95 % Wilson intervals over " + b.Task().Unit},
		{len(b.Rows) > 0 && !b.compared, unpublished},
		{has("Δ points") && b.any(func(c *Cell) bool { return !math.IsNaN(c.Difference) }), "Δ: points above the published number"},
		{b.hasMacroF1(), "macro-F1: mean F1 of the classes, in percent; always predicting the largest class has an accuracy of " + format.Fixed(largest, 2)},
		{!b.Divided() && b.any(func(c *Cell) bool { return len(c.Runs) > 1 }), "±: standard deviation over (n) seeds"},
		{b.Divided(), "±: standard deviation over (n) divisions"},
		{best(false), "@: the epoch with the best validation score (original: test score)"},
		{b.smooth > 0 && !b.decodes() && b.any(gap), fmt.Sprintf("smoothed test numbers need a run tested after each epoch that weighs in them (test.tail); the mean of the last %d needs each of these", report.LastEpochs)},
		{best(true), "epoch: the one with the best validation score, of those trained"},
		{has("loss") && entropies, "losses and entropies in nats"},
		{has("loss") && !entropies, "losses in nats"},
		{!has("loss") && entropies, "entropies in nats"},
	})
}

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

// translationTables compare greedy decoding with beam search, and short sentences with long ones;
// nil for runs that do not translate or have not finished.
func (b *Block) translationTables() []*term.Table {
	decoded := render.NewTable("Greedy decoding and beam search", render.Words("", 0), render.Words("variant", 1),
		render.Numbers("exact, greedy", 0), render.Numbers("exact, beam", 0), render.Numbers("BLEU, greedy", 1), render.Numbers("BLEU, beam", 1))
	lengths := render.NewTable("Exact match by words of the source, greedy", render.Words("exact by source words", 0), render.Words("variant", 2))
	lengths.Divides = true
	var shares []func(report.Translated) float64
	for label, c := range b.All() {
		if c.Runs[0].Translated != nil {
			if shares == nil { // the bins are the same for all: they have the same test pairs
				for i, bin := range c.Runs[0].Translated.Lengths {
					lengths.Columns = append(lengths.Columns, render.Numbers(bin.Range(), 0))
					shares = append(shares, func(t report.Translated) float64 {
						if i >= len(t.Lengths) { // of a truncated file
							return math.NaN()
						}
						return 100 * t.Lengths[i].Accuracy()
					})
				}
			}
			line := func(decimals int, of ...func(report.Translated) float64) []term.Cell {
				out := []term.Cell{{Text: label}, {Text: c.Variant}}
				for _, f := range of {
					m := c.over(func(r *report.Result) float64 {
						if r.Translated == nil {
							return math.NaN()
						}
						return f(*r.Translated)
					})
					out = append(out, term.Cell{Text: format.Fixed(m.Mean, decimals)})
				}
				return out
			}
			decoded.AddCells(line(2, func(t report.Translated) float64 { return t.Greedy.Exact }, func(t report.Translated) float64 { return t.Beam.Exact },
				func(t report.Translated) float64 { return t.Greedy.BLEU }, func(t report.Translated) float64 { return t.Beam.BLEU })...)
			lengths.AddCells(line(1, shares...)...)
		}
	}
	if len(decoded.Rows) == 0 {
		return nil
	}
	return []*term.Table{decoded.Filled(), lengths.Filled()}
}
