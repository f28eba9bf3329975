package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"imdbexp/internal/term"
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

// notesText sets the notes behind their marks, those that are marked.
func notesText(notes []report.Note, marked []int, width int) string {
	var out strings.Builder
	for i, n := range notes {
		if !slices.Contains(marked, i+1) {
			continue
		}
		mark := superscript([]int{i + 1}) + " "
		out.WriteString(term.Wrap(mark+n.String()+".", width, "", strings.Repeat(" ", twwidth.Width(mark))) + "\n")
	}
	return out.String()
}

// notesMarkdown is the same, a paragraph each.
func notesMarkdown(notes []report.Note) string {
	var out strings.Builder
	for i, n := range notes {
		fmt.Fprintf(&out, "\n%s %s.\n", superscript([]int{i + 1}), escapeMarkdown(n.String()))
	}
	return out.String()
}
