package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// Settings are broken where a row fits no other way.
func TestLongLabelsFit(t *testing.T) {
	tab := NewTable("", Words("", 0), Numbers("published", 0), Numbers("original", 0), Numbers("default", 0))
	number := term.Cell{Text: "86.90", Marks: []int{19, 20}, More: "± 18.83 (3)"}
	tab.AddCells(term.Cell{Text: "tme9-values adam slip.relu_logits=true slip.whitespace=false"}, number, number, number)
	var out strings.Builder
	require.NoError(t, View{Sections: []Section{{Title: "t", Tables: []*term.Table{tab}}}}.Text(&out, 60, false))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, line)
	}
	assert.Contains(t, out.String(), "86.90¹⁹,²⁰")
}
