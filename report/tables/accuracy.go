package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
)

// wilson heads the intervals in the accuracy table.
const wilson = "95 % Wilson"

// accuracyTable sets the variants of each row beside the published number.
func (b *Block) accuracyTable(notes *render.Footnotes) *render.Table {
	t := &render.Table{Caption: "Test accuracy", Columns: []render.Column{{Head: "", Left: true, Keep: true}, {Head: "published", Keep: b.compared}}}
	macro, decoded := b.hasMacroF1(), len(b.Task().Decoded) > 0
	if decoded {
		t.Caption = "Exact match on test"
	}
	for _, v := range b.Variants {
		beside := render.Column{Head: "Δ points", Level: 1, Moves: true}
		switch {
		case decoded:
			beside.Head = "BLEU"
		case macro: // of own data, for which nothing is published
			beside.Head = "macro-F1"
		}
		t.Columns = append(t.Columns, render.Column{Head: v, Keep: true}, beside, render.Column{Head: wilson, Level: 2})
	}
	for _, row := range b.Rows {
		line := []render.Entry{{Text: row.Label()}, {Text: format.None, Faint: true}}
		if b.compared {
			line[1].Marks = notes.Mark(row.Notes)
		}
		if row.Published != nil {
			line[1].Text, line[1].Faint = format.Fixed(report.PublishedNumbers(row.Published).TestAcc, 2), false
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil {
				line = append(line, render.Entry{}, render.Entry{}, render.Entry{})
				continue
			}
			acc := c.Stat(report.Score)
			between := format.None
			if i, err := c.Wilson(); err == nil {
				between = format.Fixed(i.Low, 1) + "–" + format.Fixed(i.High, 1)
			}
			line = append(line,
				render.Entry{Text: format.Fixed(acc.Mean, 2), More: c.More(acc), Low: c.low(), Marks: notes.Mark(c.Notes), Faint: acc.N == 0},
				c.beside(macro),
				render.Entry{Text: between, Faint: true})
		}
		t.Add(line...)
	}
	return t.Filled()
}

// beside is the entry that belongs to the accuracy: the difference from the
// published one, or macro-F1; to exact match, BLEU.
func (c *Cell) beside(macro bool) render.Entry {
	if bleu := c.bleu(); len(c.Task().Decoded) > 0 {
		return render.Entry{Text: format.Fixed(bleu, 2), Faint: math.IsNaN(bleu)}
	}
	if f1 := c.MacroF1().Mean; macro {
		return render.Entry{Text: format.Fixed(f1, 2), Faint: math.IsNaN(f1)}
	}
	return render.Entry{Text: format.Signed(c.Difference), Faint: math.IsNaN(c.Difference)}
}

// low is the same for tables too narrow for its column.
func (c *Cell) low() string {
	switch f1, bleu := c.MacroF1().Mean, c.bleu(); {
	case !math.IsNaN(bleu):
		return "BLEU " + format.Fixed(bleu, 2)
	case !math.IsNaN(f1):
		return "F1 " + format.Fixed(f1, 2)
	case !math.IsNaN(c.Difference):
		return "Δ " + format.Signed(c.Difference)
	}
	return ""
}

// More is what belongs to a mean accuracy: its spread over the seeds, and the
// epochs that were chosen.
func (c *Cell) More(acc stats.Moments) string {
	var out []string
	if acc.N > 1 {
		out = append(out, fmt.Sprintf("± %s (%d)", format.Fixed(acc.SD, 2), acc.N))
	}
	if c.Runs[0].Best() {
		out = append(out, "@"+c.epochs(func(r *report.Result) int { return r.Chosen.Epoch }))
	}
	return strings.Join(out, " ")
}

// epochs formats one epoch of each run: 17, or 15–19 over seeds.
func (c *Cell) epochs(of func(*report.Result) int) string {
	var all []int
	for _, r := range c.Runs {
		all = append(all, of(r))
	}
	low, high := slices.Min(all), slices.Max(all)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

// detailTable has a line for each cell, with the columns of the published table
// and what it left out.
func (b *Block) detailTable() *render.Table {
	accuracy, match := 0, 1 // what a narrow terminal leaves out first
	if len(b.Task().Decoded) > 0 {
		accuracy, match = 1, 0
	}
	t := &render.Table{Caption: "All metrics", Columns: []render.Column{
		{Head: "", Left: true, Keep: true}, {Head: "variant", Left: true}, {Head: "seeds", Level: 4}, {Head: "epoch", Level: 1},
		{Head: "train loss", Level: 3}, {Head: "valid loss", Level: 4}, {Head: "test loss", Level: 2},
		{Head: "train acc.", Level: accuracy}, {Head: "valid acc.", Level: 3}, {Head: "test acc.", Level: accuracy}, {Head: "exact match", Level: match}, {Head: "BLEU", Level: 2},
		{Head: "train entropy", Level: 4}, {Head: "test entropy", Level: 2}, {Head: "oracle", Level: 3},
		{Head: "runs", Left: true, Level: 5, Traces: true}, {Head: "cite as", Left: true, Level: 6, Cites: true},
	}}
	for _, row := range b.Rows {
		label := row.Label()
		if p := row.Published; p != nil {
			n := report.PublishedNumbers(p)
			t.Add(render.Entry{Text: label}, render.Entry{Text: "published"}, render.Entry{}, render.Entry{Text: fmt.Sprint(p.Epochs)},
				render.Entry{Text: format.Fixed(n.TrainLoss, 3)}, render.Entry{}, render.Entry{Text: format.Fixed(n.TestLoss, 3)},
				render.Entry{Text: format.Fixed(n.TrainAcc, 2)}, render.Entry{}, render.Entry{Text: format.Fixed(n.TestAcc, 2)}, render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{})
			label = ""
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil {
				continue
			}
			t.Add(render.Entry{Text: label}, render.Entry{Text: v}, render.Entry{Text: fmt.Sprint(len(c.Runs))},
				render.Entry{Text: c.epochs(func(r *report.Result) int { return r.Chosen.Epoch })},
				c.mean(func(n report.Numbers) float64 { return n.TrainLoss }, 3),
				c.mean(validLoss, 3),
				c.mean(func(n report.Numbers) float64 { return n.TestLoss }, 3),
				c.mean(func(n report.Numbers) float64 { return n.TrainAcc }, 2),
				c.mean(report.ValidAcc, 2),
				c.mean(report.TestAcc, 2),
				c.mean(func(n report.Numbers) float64 { return n.TestExact }, 2),
				c.mean(func(n report.Numbers) float64 { return n.TestBLEU }, 2),
				c.mean(func(n report.Numbers) float64 { return n.TrainEntropy }, 2),
				c.mean(func(n report.Numbers) float64 { return n.TestEntropy }, 2),
				c.oracle(), render.Entry{Text: c.ids(), Faint: true}, b.citations(c))
			label = ""
		}
	}
	return t.Filled()
}

// oracle is the entry of each seed's best accuracy on test, where that is the score.
func (c *Cell) oracle() render.Entry {
	m := c.Oracle()
	if m.N == 0 || !c.Runs[0].Judged("test_acc") {
		return render.Entry{Text: format.None, Faint: true}
	}
	return render.Entry{Text: format.Fixed(m.Mean, 2) + " @" + c.epochs(func(r *report.Result) int { return r.Oracle.Epoch })}
}

// ids names the runs behind the cell, so that each number can be traced.
func (c *Cell) ids() string {
	var out []string
	for _, r := range c.Runs {
		out = append(out, format.Short(r.Config.ID))
	}
	return strings.Join(out, " ")
}

// citations is the entry of how to cite the finished runs behind a cell, where that
// is asked for.
func (b *Block) citations(c *Cell) render.Entry {
	var out []string
	for _, r := range c.Runs {
		if !b.cited || !r.Finished {
			continue
		}
		if cited, err := r.Run.Citation(); err == nil { // what cannot be read has a note
			out = append(out, cited.String())
		}
	}
	return render.Entry{Text: strings.Join(out, " "), Faint: true}
}

// unpublished tells why there is no published number to stand beside.
func (b *Block) unpublished() string {
	for _, row := range b.Rows {
		for _, n := range row.Notes {
			if n.Kind == report.OtherData {
				return "nothing is published for these reviews"
			}
		}
	}
	return "nothing is published for these experiments"
}

// keys explains the signs of a block's tables, those that occur in columns of these heads.
func (b *Block) keys(shown []string) string {
	has := func(what string) bool {
		return slices.ContainsFunc(shown, func(head string) bool { return strings.HasSuffix(head, what) })
	}
	var seeds, best, bestTrial, differences, entropies, oracle bool
	for _, c := range b.All() {
		oracle = oracle || len(c.oracleNote()) > 0
		trial := c.Runs[0].Trial()
		seeds = seeds || len(c.Runs) > 1
		best = best || !trial && c.Runs[0].Best()
		bestTrial = bestTrial || trial && c.Runs[0].Best()
		differences = differences || !math.IsNaN(c.Difference)
		entropies = entropies || !trial && c.Stat(func(n report.Numbers) float64 { return n.TestEntropy }).N > 0
	}
	out := []string{"Accuracies in percent"}
	if len(b.Task().Decoded) > 0 {
		out = []string{"Exact match, accuracies of the next word and BLEU from 0 to 100"}
	}
	for _, k := range []struct {
		used bool
		text string
	}{
		{has(wilson), "95 % Wilson intervals over " + b.Task().Unit},
		{len(b.Rows) > 0 && !b.compared, b.unpublished()},
		{differences, "Δ: points above the published number"},
		{b.hasMacroF1(), "macro-F1: the mean over the classes of F1, in percent"},
		{seeds, "±: standard deviation over (n) seeds"},
		{best, "@: the epoch with the best validation score (original: test score)"},
		{oracle || has("oracle"), report.OracleKey},
		{b.unsmoothed(), fmt.Sprintf("smoothed test is of runs tested after each epoch that weighs in it (test.tail), the mean of the last %d of those tested after each of these", report.LastEpochs)},
		{bestTrial, "epoch: that with the best validation score, of those trained"},
		{has("loss") && entropies && has("entropy"), "losses and entropies in nats"},
		{has("loss") && !(entropies && has("entropy")), "losses in nats"},
		{!has("loss") && entropies && has("entropy"), "entropies in nats"},
	} {
		if k.used {
			out = append(out, k.text)
		}
	}
	return strings.Join(out, "; ") + "."
}
