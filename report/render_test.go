package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
)

// Settings are broken where a row fits no other way.
func TestLongLabelsFit(t *testing.T) {
	tab := render.NewTable("", render.Words("", 0), render.Numbers("published", 0), render.Numbers("original", 0), render.Numbers("default", 0))
	number := term.Cell{Text: "86.90", Marks: []int{19, 20}, More: "± 18.83 (3)"}
	tab.AddCells(term.Cell{Text: "tme9-values adam slip.relu_logits=true slip.whitespace=false"}, number, number, number)
	var out strings.Builder
	require.NoError(t, render.View{Sections: []render.Section{{Title: "t", Tables: []*term.Table{tab}}}}.Text(&out, 60, false))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, line)
	}
	assert.Contains(t, out.String(), "86.90¹⁹,²⁰")
}

// A search once had 22 footnotes in one cell and 35 below its table.
func TestManyNotesOfRunsAreGrouped(t *testing.T) {
	var f render.Footnotes
	unlearned := func(text string) report.Note { return report.Note{Kind: report.Unlearned, Text: text} }
	var many []report.Note
	for i := range 21 {
		many = append(many, unlearned(fmt.Sprintf("run %d", i)))
	}
	assert.Equal(t, []int{1}, f.Mark(many))
	assert.Equal(t, []report.Note{unlearned("21 runs; details with --format csv")}, f.List)
	assert.Equal(t, []int{2, 3}, f.Mark(many[:2]))
	for i := range 30 {
		f.Mark([]report.Note{unlearned(fmt.Sprintf("seed %d", i)), {Kind: report.Source, Text: fmt.Sprint(i)}})
	}
	count := map[report.Kind]int{}
	for _, note := range f.List {
		count[note.Kind]++
	}
	assert.Equal(t, 5, count[report.Unlearned], "four of a section, and one of the rest: %v", f.List)
	assert.Equal(t, 30, count[report.Source], "remarks on published numbers are never grouped")
}
