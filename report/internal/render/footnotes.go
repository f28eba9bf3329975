package render

import (
	"slices"

	"imdbexp/report"
)

// Footnotes numbers the notes of one section in order of first use; equal notes share a number.
type Footnotes struct{ List []report.Note }

// Mark returns the numbers of the notes, from 1, rising.
func (f *Footnotes) Mark(notes []report.Note) []int {
	var out []int
	for _, n := range notes {
		i := slices.Index(f.List, n)
		if i < 0 {
			i = len(f.List)
			f.List = append(f.List, n)
		}
		out = append(out, i+1)
	}
	slices.Sort(out)
	return out
}
