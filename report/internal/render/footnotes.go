package render

import (
	"fmt"
	"slices"

	"imdbexp/report"
)

// Of each kind of note on runs, a cell lists up to perCell and a section up to perSection. The CSV
// has all.
const (
	perCell    = 2
	perSection = 4
)

// Footnotes numbers the notes of one section in order of first use; equal notes share a number.
// Many notes of one kind become one.
type Footnotes struct{ List []report.Note }

// Mark returns the numbers of the notes, from 1, rising.
func (f *Footnotes) Mark(notes []report.Note) []int {
	count := map[report.Kind]int{}
	for _, n := range notes {
		count[n.Kind]++
	}
	var out []int
	for _, n := range notes {
		if n.OfRun() && count[n.Kind] > perCell {
			n.Text = fmt.Sprintf("%d runs; details with --format csv", count[n.Kind])
		}
		if n.OfRun() && !slices.Contains(f.List, n) && f.listed(n.Kind) >= perSection {
			n.Text = "details with --format csv"
		}
		i := slices.Index(f.List, n)
		if i < 0 {
			i = len(f.List)
			f.List = append(f.List, n)
		}
		out = append(out, i+1)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listed counts the notes of a kind.
func (f *Footnotes) listed(kind report.Kind) int {
	n := 0
	for _, listed := range f.List {
		if listed.Kind == kind {
			n++
		}
	}
	return n
}
