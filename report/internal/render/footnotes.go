package render

import (
	"slices"
	"strconv"
	"strings"

	"imdbexp/report"
)

// Footnotes numbers the notes of one table in order of first use; equal notes
// share a number.
type Footnotes struct{ List []report.Note }

// Mark returns the numbers of the notes, from 1, rising.
func (f *Footnotes) Mark(notes []report.Note) []int {
	var out []int
next:
	for _, n := range notes {
		for i, known := range f.List {
			if known == n {
				out = append(out, i+1)
				continue next
			}
		}
		f.List = append(f.List, n)
		out = append(out, len(f.List))
	}
	slices.Sort(out)
	return out
}

// superscript writes footnote numbers: 1, 12 → "¹,¹²".
func superscript(numbers []int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var out []string
	for _, n := range numbers {
		var b strings.Builder
		for _, d := range strconv.Itoa(n) {
			b.WriteRune(digits[d-'0'])
		}
		out = append(out, b.String())
	}
	return strings.Join(out, ",")
}
