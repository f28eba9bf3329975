package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

func newCell(variant string, list []*Result, extra []Note) *Cell {
	c := &Cell{Variant: variant, Runs: list, Difference: math.NaN(), Notes: extra}
	for _, r := range list {
		c.addNotes(r.Notes)
	}
	c.addNotes(c.oracleNote())
	return c
}

// oracleGain is by how many points the best epoch on test must beat the epoch
// that counts for a footnote to say so.
const oracleGain = 0.5

// oracleNote tells what the best epoch on test would have given; not of translations,
// whose accuracy is of the next word and not the score in the table.
func (c *Cell) oracleNote() []Note {
	best := c.Oracle().Mean
	if c.translates() || !(best-c.Stat(TestAcc).Mean >= oracleGain) { // nor for NaN
		return nil
	}
	epochs := c.epochs(func(r *Result) int { return r.Oracle.Epoch })
	text := fmt.Sprintf("%s at epoch %s, its best on test", percent(best), epochs)
	if len(c.Runs) > 1 {
		text = fmt.Sprintf("%s on average at epochs %s, the best of each seed on test", percent(best), epochs)
	}
	return []Note{{Oracle, text}}
}

// addNotes adds the notes that the cell does not have yet.
func (c *Cell) addNotes(notes []Note) {
	for _, n := range notes {
		if !slices.Contains(c.Notes, n) {
			c.Notes = append(c.Notes, n)
		}
	}
}

// comparable reports whether the published numbers may stand beside all runs of
// the cell.
func (c *Cell) comparable() bool {
	return !slices.ContainsFunc(c.Runs, func(r *Result) bool { return !r.Comparable() })
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
			c.Difference = c.Stat(TestAcc).Mean - published(p).TestAcc
		}
	}
	for _, v := range names {
		c := row.Cells[v]
		why := c.incomparable()
		if row.Published != nil {
			c.addNotes(why)
			continue
		}
		for _, n := range why {
			if !slices.Contains(row.Notes, n) {
				row.Notes = append(row.Notes, n)
			}
		}
	}
	if p := row.Published; p != nil && p.Note != "" {
		row.Notes = append(row.Notes, Note{Source, p.Note})
	}
}

// incomparable returns why the published numbers must not stand beside the runs;
// seeds that stopped after different numbers of epochs share one note.
func (c *Cell) incomparable() []Note {
	var out []Note
	for _, r := range c.Runs {
		for _, n := range r.Incomparable {
			if n.Kind == Shorter {
				n = shorter(c.epochs(func(r *Result) int { return r.Done }), r.Config.Published.Epochs)
			}
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}
