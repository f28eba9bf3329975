package render

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The names of settings are broken where a row fits no other way.
func TestLongLabelsFit(t *testing.T) {
	tab := &Table{Columns: []Column{{Left: true}, {Head: "published"}, {Head: "original"}, {Head: "default"}}}
	number := Entry{Text: "86.90", Marks: []int{19, 20}, More: "± 18.83 (3)"}
	tab.Add(Entry{Text: "tme9-values adam slip.relu_logits=true slip.whitespace=false"}, number, number, number)
	text, _, err := Fit(tab, 60, false)
	require.NoError(t, err)
	assert.LessOrEqual(t, Widest(text), 60, text)
	assert.Equal(t, "  slip.whitespace=\n    false", broken("  slip.whitespace=false", 20, "    "))
	assert.Equal(t, "  unbreakable", broken("  unbreakable", 8, "    "))
}

func TestSuperscript(t *testing.T) { assert.Equal(t, "¹,¹²", superscript([]int{1, 12})) }
