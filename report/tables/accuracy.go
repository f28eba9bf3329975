package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// wilsonLevel is the level of the intervals in the accuracy table.
const wilsonLevel = 2

// accuracyTable sets the variants of each row beside the published number.
func (b *Block) accuracyTable(notes *footnotes) *table {
	t := &table{caption: "Test accuracy", columns: []column{{head: "", left: true, keep: true}, {head: "published", keep: b.compared}}}
	macro := b.hasMacroF1()
	if b.translates() {
		t.caption = "Exact match on test"
	}
	for _, v := range b.Variants {
		beside := column{head: "Δ points", level: 1}
		switch {
		case b.translates():
			beside.head = "BLEU"
		case macro: // of own data, for which nothing is published
			beside.head = "macro-F1"
		}
		t.columns = append(t.columns, column{head: v, keep: true}, beside, column{head: "95 % Wilson", level: wilsonLevel})
	}
	for _, row := range b.Rows {
		line := []entry{{text: row.Label()}, {text: none, faint: true}}
		if b.compared {
			line[1].marks = notes.mark(row.Notes)
		}
		if row.Published != nil {
			line[1].text, line[1].faint = percent(published(row.Published).TestAcc), false
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil {
				line = append(line, entry{}, entry{}, entry{})
				continue
			}
			acc := c.Stat(c.Score())
			between := none
			if i, err := c.Wilson(); err == nil {
				between = fixed(i.Low, 1) + "–" + fixed(i.High, 1)
			}
			line = append(line,
				entry{text: percent(acc.Mean), more: c.more(acc), low: c.low(), marks: notes.mark(c.Notes), faint: acc.N == 0},
				c.beside(macro),
				entry{text: between, faint: true})
		}
		t.add(line...)
	}
	return t.filled()
}

// beside is the entry that belongs to the accuracy: the difference from the
// published one, or macro-F1; to exact match, BLEU.
func (c *Cell) beside(macro bool) entry {
	if bleu := c.bleu(); c.translates() {
		return entry{text: percent(bleu), faint: math.IsNaN(bleu)}
	}
	if f1 := c.MacroF1().Mean; macro {
		return entry{text: percent(f1), faint: math.IsNaN(f1)}
	}
	return entry{text: signed(c.Difference), faint: math.IsNaN(c.Difference)}
}

// low is the same for tables too narrow for its column.
func (c *Cell) low() string {
	switch f1, bleu := c.MacroF1().Mean, c.bleu(); {
	case !math.IsNaN(bleu):
		return "BLEU " + percent(bleu)
	case !math.IsNaN(f1):
		return "F1 " + percent(f1)
	case !math.IsNaN(c.Difference):
		return "Δ " + signed(c.Difference)
	}
	return ""
}

// more is what belongs to a mean accuracy: its spread over the seeds, and the
// epochs that were chosen.
func (c *Cell) more(acc Moments) string {
	var out []string
	if acc.N > 1 {
		out = append(out, fmt.Sprintf("± %s (%d)", percent(acc.SD), acc.N))
	}
	if c.Runs[0].Best() {
		out = append(out, "@"+c.epochs(func(r *Result) int { return r.Chosen.Epoch }))
	}
	return strings.Join(out, " ")
}

// epochs formats one epoch of each run: 17, or 15–19 over seeds.
func (c *Cell) epochs(of func(*Result) int) string {
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
func (b *Block) detailTable() *table {
	accuracy, match := 0, 1 // what a narrow terminal leaves out first
	if b.translates() {
		accuracy, match = 1, 0
	}
	t := &table{caption: "All metrics", columns: []column{
		{head: "", left: true, keep: true}, {head: "variant", left: true}, {head: "seeds", level: 4}, {head: "epoch", level: 1},
		{head: "train loss", level: 3}, {head: "valid loss", level: 4}, {head: "test loss", level: 2},
		{head: "train acc.", level: accuracy}, {head: "valid acc.", level: 3}, {head: "test acc.", level: accuracy}, {head: "exact match", level: match}, {head: "BLEU", level: 2},
		{head: "train entropy", level: 4}, {head: "test entropy", level: 2}, {head: "oracle", level: 3},
		{head: "runs", left: true, level: 5, traces: true}, {head: "cite as", left: true, level: 6, cites: true},
	}}
	for _, row := range b.Rows {
		label := row.Label()
		if p := row.Published; p != nil {
			n := published(p)
			t.add(entry{text: label}, entry{text: "published"}, entry{}, entry{text: fmt.Sprint(p.Epochs)},
				entry{text: fixed(n.TrainLoss, 3)}, entry{}, entry{text: fixed(n.TestLoss, 3)},
				entry{text: percent(n.TrainAcc)}, entry{}, entry{text: percent(n.TestAcc)}, entry{}, entry{}, entry{}, entry{}, entry{}, entry{}, entry{})
			label = ""
		}
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil {
				continue
			}
			mean := func(of func(Numbers) float64, decimals int) entry {
				m := c.Stat(of).Mean
				return entry{text: fixed(m, decimals), faint: math.IsNaN(m)}
			}
			t.add(entry{text: label}, entry{text: v}, entry{text: fmt.Sprint(len(c.Runs))},
				entry{text: c.epochs(func(r *Result) int { return r.Chosen.Epoch })},
				mean(func(n Numbers) float64 { return n.TrainLoss }, 3),
				mean(validLoss, 3),
				mean(func(n Numbers) float64 { return n.TestLoss }, 3),
				mean(func(n Numbers) float64 { return n.TrainAcc }, 2),
				mean(validAcc, 2),
				mean(TestAcc, 2),
				mean(func(n Numbers) float64 { return n.TestExact }, 2),
				mean(func(n Numbers) float64 { return n.TestBLEU }, 2),
				mean(func(n Numbers) float64 { return n.TrainEntropy }, 2),
				mean(func(n Numbers) float64 { return n.TestEntropy }, 2),
				c.oracle(), entry{text: c.ids(), faint: true}, b.citations(c))
			label = ""
		}
	}
	return t.filled()
}

// oracle is the entry of each seed's best accuracy on test; like oracleNote not of
// translations.
func (c *Cell) oracle() entry {
	m := c.Oracle()
	if m.N == 0 || c.translates() {
		return entry{text: none, faint: true}
	}
	return entry{text: percent(m.Mean) + " @" + c.epochs(func(r *Result) int { return r.Oracle.Epoch })}
}

// ids names the runs behind the cell, so that each number can be traced.
func (c *Cell) ids() string {
	var out []string
	for _, r := range c.Runs {
		out = append(out, short(r.Config.ID))
	}
	return strings.Join(out, " ")
}

// citations is the entry of how to cite the finished runs behind a cell, where that
// is asked for.
func (b *Block) citations(c *Cell) entry {
	var out []string
	for _, r := range c.Runs {
		if !b.cited || !r.Finished {
			continue
		}
		if cited, err := r.run.Citation(); err == nil { // what cannot be read has a note
			out = append(out, cited.String())
		}
	}
	return entry{text: strings.Join(out, " "), faint: true}
}

// unpublished tells why there is no published number to stand beside.
func (b *Block) unpublished() string {
	for _, row := range b.Rows {
		for _, n := range row.Notes {
			if n.Kind == OtherData {
				return "nothing is published for these reviews"
			}
		}
	}
	return "nothing is published for these experiments"
}

// keys explains the signs of a block's tables, those that occur; level is that of
// the accuracy table as shown.
func (b *Block) keys(level int) string {
	var seeds, best, bestTrial, differences, entropies bool
	for _, c := range b.all() {
		trial := c.Runs[0].trial()
		seeds = seeds || len(c.Runs) > 1
		best = best || !trial && c.Runs[0].Best()
		bestTrial = bestTrial || trial && c.Runs[0].Best()
		differences = differences || !math.IsNaN(c.Difference)
		entropies = entropies || !trial && c.Stat(func(n Numbers) float64 { return n.TestEntropy }).N > 0
	}
	looked := len(b.Rows) > 0
	out := []string{"Accuracies in percent"}
	between := "95 % Wilson intervals over reviews"
	if b.translates() {
		out = []string{"Exact match, accuracies of the next word and BLEU from 0 to 100"}
		between = "95 % Wilson intervals over pairs"
	}
	for _, k := range []struct {
		used bool
		text string
	}{
		{looked && level >= wilsonLevel, between},
		{looked && !b.compared, b.unpublished()},
		{differences, "Δ: points above the published number"},
		{b.hasMacroF1(), "macro-F1: the mean over the classes of F1, in percent"},
		{seeds, "±: standard deviation over (n) seeds"},
		{best, "@: the epoch with the best validation score (original: test score)"},
		{bestTrial, "epoch: that with the best validation score, of those trained"},
		{entropies, "losses and entropies in nats"},
		{!entropies, "losses in nats"},
	} {
		if k.used {
			out = append(out, k.text)
		}
	}
	return strings.Join(out, "; ") + "."
}
