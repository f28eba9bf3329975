package tables

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

func newCell(variant string, list []*report.Result, extra []report.Note) *Cell {
	c := &Cell{Variant: variant, Runs: list, Difference: math.NaN(), Notes: extra}
	for _, r := range list {
		c.addNotes(r.Notes)
	}
	c.addNotes(c.chanceNote())
	c.addNotes(c.oracleNote())
	return c
}

// chanceNote names the runs that are at chance: a mean over seeds that learn and seeds
// that do not is neither's number.
func (c *Cell) chanceNote() []report.Note {
	var ids []string
	for _, r := range c.Runs {
		if r.Chance != nil {
			ids = append(ids, format.Short(r.Config.ID))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	n := report.Note{Kind: report.Unlearned}
	switch one := c.Runs[0].Chance; {
	case len(c.Runs) > 1:
		n.Text = fmt.Sprintf("%d of %d seeds, %s", len(ids), len(c.Runs), strings.Join(ids, " "))
	case one.Exploded():
		n.Text = "its loss has exploded"
	case one.Guesses():
		n.Text = "its loss is that of guessing"
	default:
		n.Text = "its loss is above that of guessing"
	}
	return []report.Note{n}
}

// oracleGain is by how many points the best epoch on test must beat the epoch
// that counts for a footnote to say so.
const oracleGain = 0.5

// oracleNote tells what the best epoch on test would have given, where it is by the
// accuracy that runs are judged.
func (c *Cell) oracleNote() []report.Note {
	best := c.Oracle().Mean
	if !c.Runs[0].Judged("test_acc") || !(best-c.Stat(report.TestAcc).Mean >= oracleGain) { // nor for NaN
		return nil
	}
	epochs := c.epochs(func(r *report.Result) int { return r.Oracle.Epoch })
	text := fmt.Sprintf("%s at epoch %s, its best on test", format.Fixed(best, 2), epochs)
	if len(c.Runs) > 1 {
		text = fmt.Sprintf("%s on average at epochs %s, the best of each seed on test", format.Fixed(best, 2), epochs)
	}
	return []report.Note{{Kind: report.Oracle, Text: text}}
}

// addNotes adds the notes that the cell does not have yet.
func (c *Cell) addNotes(notes []report.Note) {
	c.Notes = withNotes(c.Notes, notes)
}

// withNotes appends the notes that a list does not have yet.
func withNotes(list, more []report.Note) []report.Note {
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// comparable reports whether the published numbers may stand beside all runs of
// the cell.
func (c *Cell) comparable() bool {
	return !slices.ContainsFunc(c.Runs, func(r *report.Result) bool { return !r.Comparable() })
}

// publish fills in the published numbers and the differences of those cells
// that may have them. When only some may, the others say why not; when none
// may, the row does.
func (row *Row) publish() {
	names := slices.Sorted(maps.Keys(row.Cells))
	for _, v := range names {
		c := row.Cells[v]
		if p := c.Runs[0].Config.Published; c.comparable() {
			row.Published = p
			c.Difference = c.Stat(report.TestAcc).Mean - report.PublishedNumbers(p).TestAcc
		}
	}
	for _, v := range names {
		c := row.Cells[v]
		why := c.incomparable()
		if row.Published != nil {
			c.addNotes(append(why, c.elsewhere(row.Published)...))
			continue
		}
		row.Notes = withNotes(row.Notes, why)
	}
	if p := row.Published; p != nil && p.Note != "" {
		row.Notes = append(row.Notes, report.Note{Kind: report.Source, Text: p.Note})
	}
}

// elsewhere says what the cell is held against where that is not the row's published
// number: the published code has numbers of its own.
func (c *Cell) elsewhere(row *runs.Published) []report.Note {
	p := c.Runs[0].Config.Published
	if math.IsNaN(c.Difference) || p.Source == row.Source {
		return nil
	}
	text := fmt.Sprintf("Δ is to %s after %s: %s", format.Fixed(p.TestAcc, 2), format.Counted(p.Epochs, "epoch"), p.Source)
	if p.Note != "" {
		text += " (" + p.Note + ")"
	}
	return []report.Note{{Kind: report.Source, Text: text}}
}

// incomparable returns why the published numbers must not stand beside the runs;
// seeds that stopped after different numbers of epochs share one note.
func (c *Cell) incomparable() []report.Note {
	var out []report.Note
	for _, r := range c.Runs {
		for _, n := range r.Incomparable {
			if n.Kind == report.Shorter {
				n = report.ShorterNote(c.epochs(func(r *report.Result) int { return r.Done }), r.Config.Published.Epochs)
			}
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// MacroF1 sums up the macro-F1 of the seeds.
func (c *Cell) MacroF1() stats.Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = r.MacroF1
	}
	return stats.Summarise(values)
}

// hasMacroF1 reports whether a block has a column of it.
func (b *Block) hasMacroF1() bool {
	for _, row := range b.Rows {
		for _, c := range row.Cells {
			if c.MacroF1().N > 0 {
				return true
			}
		}
	}
	return false
}

// Task returns what the runs of a block learn; what data they saw decides it.
func (b *Block) Task() *runs.Task {
	for _, c := range b.All() {
		return c.Task()
	}
	return runs.Reviews
}

// Task returns what the cell's runs learn.
func (c *Cell) Task() *runs.Task { return c.Runs[0].Config.Task() }

// bleu is the mean over the seeds; NaN of runs that do not translate.
func (c *Cell) bleu() float64 {
	return c.Stat(func(n report.Numbers) float64 { return n.TestBLEU }).Mean
}

// Translated sums up a number of the translations over the seeds.
func (c *Cell) Translated(of func(report.Translated) float64) stats.Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = math.NaN()
		if r.Translated != nil {
			values[i] = of(*r.Translated)
		}
	}
	return stats.Summarise(values)
}

// Stat sums up one number over the seeds of a cell.
func (c *Cell) Stat(of func(report.Numbers) float64) stats.Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = of(r.Chosen)
	}
	return stats.Summarise(values)
}

// Oracle sums up each seed's best accuracy on test.
func (c *Cell) Oracle() stats.Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = r.Oracle.TestAcc
	}
	return stats.Summarise(values)
}

// Wilson returns the 95 % interval around the cell's mean score on test. Its
// trials are the reviews or pairs, which all seeds share, so more seeds do not narrow it.
func (c *Cell) Wilson() (stats.Interval, error) {
	return stats.WilsonPercent(c.Stat(report.Score).Mean, c.Runs[0].Counted())
}

// mean is the entry of the mean of a number over the seeds.
func (c *Cell) mean(of func(report.Numbers) float64, decimals int) render.Entry {
	m := c.Stat(of).Mean
	return render.Entry{Text: format.Fixed(m, decimals), Faint: math.IsNaN(m)}
}
