package tables

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

func newCell(list []*report.Result, extra []report.Note) *Cell {
	c := &Cell{Variant: list[0].Variant(), Runs: list, Difference: math.NaN(), Notes: report.Union(extra, report.NotesOf(list)...)}
	c.noteChance()
	if _, n, ok := report.Divided(list); ok {
		c.Notes = report.Union(c.Notes, n)
	} else if len(list) > 1 && list[0].Config.Counts() {
		c.note(report.Unseeded, "the seed changes nothing in this model, so these %d results count as one", len(list))
	}
	return c
}

// note adds a note unless the cell has it.
func (c *Cell) note(kind report.Kind, format string, args ...any) {
	c.Notes = report.Union(c.Notes, report.Note{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// Divided reports whether the cell is over several divisions of the data (report.Divided).
func (c *Cell) Divided() bool {
	_, _, ok := report.Divided(c.Runs)
	return ok
}

// noteChance names the runs at chance level: the mean over seeds that learn and seeds that do not
// describes neither.
func (c *Cell) noteChance() {
	atChance := report.Filter(c.Runs, func(r *report.Result) bool { return r.Chance != nil })
	switch one := c.Runs[0].Chance; {
	case len(atChance) == 0:
	case len(c.Runs) > 1:
		c.note(report.Unlearned, "%d of %d seeds, %s", len(atChance), len(c.Runs), report.IDs(atChance))
	case one.Exploded():
		c.note(report.Unlearned, "its loss has exploded")
	case one.Guesses():
		c.note(report.Unlearned, "its loss is at the level of guessing")
	default:
		c.note(report.Unlearned, "its loss is above the level of guessing")
	}
}

// comparable reports whether all runs of the cell are comparable with the published numbers.
func (c *Cell) comparable() bool { return len(c.incomparable()) == 0 }

// publish fills in the published number and the differences of the cells that are comparable with it. If
// only some cells are, the others get notes with the reasons; if none is, the row gets them.
func (row *Row) publish() {
	names := slices.Sorted(maps.Keys(row.Cells))
	for _, v := range names {
		if c := row.Cells[v]; c.comparable() {
			row.Published = c.Runs[0].Config.Published
			c.Difference = c.Stat("test_acc").Mean - report.PublishedMetrics(row.Published).Get("test_acc")
		}
	}
	for _, v := range names {
		c := row.Cells[v]
		why := c.incomparable()
		if row.Published != nil {
			c.Notes = report.Union(c.Notes, why...)
			c.noteSource(row.Published)
		} else {
			row.Notes = report.Union(row.Notes, why...)
		}
	}
	if p := row.Published; p != nil && p.Note != "" {
		row.Notes = append(row.Notes, report.Note{Kind: report.Source, Text: p.Note})
	}
}

// noteSource notes the published number that a cell is compared with if it is not the row's: the
// published code has its own numbers.
func (c *Cell) noteSource(row *runs.Published) {
	p := c.Runs[0].Config.Published
	if math.IsNaN(c.Difference) || p.Source == row.Source {
		return
	}
	remark := ""
	if p.Note != "" {
		remark = " (" + p.Note + ")"
	}
	c.note(report.Source, "Δ is to %s after %s: %s%s", format.Fixed(p.TestAcc, 2), format.Counted(p.Epochs, "epoch"), p.Source, remark)
}

// incomparable returns why the runs are not comparable with the published numbers; seeds that stopped
// after different numbers of epochs share one note.
func (c *Cell) incomparable() (out []report.Note) {
	for _, r := range c.Runs {
		for _, n := range r.Incomparable {
			if n.Kind == report.Shorter {
				n = report.ShorterNote(c.epochs(func(r *report.Result) int { return r.Done }), r.Config.Published.Epochs)
			}
			out = report.Union(out, n)
		}
	}
	return out
}

// Task returns the task of the cell's runs.
func (c *Cell) Task() *runs.Task { return c.Runs[0].Config.Task() }

// any reports whether a cell of the block has a property.
func (b *Block) any(has func(*Cell) bool) bool {
	for _, c := range b.All() {
		if has(c) {
			return true
		}
	}
	return false
}

// Task returns the task of the block's runs.
func (b *Block) Task() *runs.Task {
	for _, c := range b.All() {
		return c.Task()
	}
	return runs.Reviews
}

// decodes reports whether the block's runs translate.
func (b *Block) decodes() bool { return len(b.Task().Decoded) > 0 }

func (b *Block) hasMacroF1() bool {
	return b.any(func(c *Cell) bool { return c.MacroF1().N > 0 })
}

// over summarises a number of each run over the seeds.
func (c *Cell) over(of func(*report.Result) float64) stats.Moments {
	return stats.Summarise(report.Map(c.Runs, of))
}

// Stat summarises a metric of the chosen epoch over the seeds.
func (c *Cell) Stat(key string) stats.Moments {
	return c.over(func(r *report.Result) float64 { return r.Chosen.Get(key) })
}

// Score summarises the test score of the task over the seeds.
func (c *Cell) Score() stats.Moments {
	return c.over(func(r *report.Result) float64 { return r.Score })
}

// MacroF1 summarises macro-F1 over the seeds.
func (c *Cell) MacroF1() stats.Moments {
	return c.over(func(r *report.Result) float64 { return r.MacroF1 })
}

// Interval returns the 95 % interval of the mean test score, NaN if unknown: that of report.Divided, or Wilson's,
// which more seeds on the same reviews do not narrow.
func (c *Cell) Interval() stats.Interval {
	if i, _, ok := report.Divided(c.Runs); ok {
		return i
	}
	return stats.WilsonPercent(c.Score().Mean, c.Runs[0].Counted())
}
