package attend

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/internal/term"
)

var carpet = translator.Alignment{
	Columns: []string{"the", "red", "carpet"}, Rows: []string{"le", "tapis", "rouge", "(end)"},
	Weights: [][]float64{{0.7, 0, 0.3}, {0, 0.04, 0.96}, {0.05, 0.95, 0}, {0.2, 0.3, 0.5}},
}

func TestAlignmentText(t *testing.T) {
	o := term.New(new(bytes.Buffer), new(bytes.Buffer), 60, false)
	require.Equal(t, `         the red carpet
     le    7   ·      3
  tapis    ·   ·      9
  rouge    0   9      ·
  (end)    2   3      5

  weights in tenths, · below 0.05
`, alignmentText(o, carpet))

	// Words that do not fit are numbered.
	narrow := term.New(new(bytes.Buffer), new(bytes.Buffer), 20, false)
	require.Equal(t, `  1 the  2 red
  3 carpet

          1  2  3
     le   7  ·  3
  tapis   ·  ·  9
  rouge   0  9  ·
  (end)   2  3  5

  weights in tenths,
    · below 0.05
`, alignmentText(narrow, carpet))

	t.Setenv("COLORTERM", "truecolor")
	var color bytes.Buffer
	screen := term.New(&color, new(bytes.Buffer), 60, true)
	screen.Printf("%s", alignmentText(screen, carpet))
	require.Contains(t, color.String(), "\x1b[38;2;0;0;0;48;2;", "a shade")
	require.Contains(t, color.String(), "weight:")
}

// Sentences of any length keep within the width, and every word has a column.
func TestAlignmentFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé\']{1,24}`), 1, 150)
		a := translator.Alignment{Columns: words.Draw(t, "source"), Rows: rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,24}`), 1, 4).Draw(t, "target")}
		for range a.Rows {
			a.Weights = append(a.Weights, make([]float64, len(a.Columns)))
		}
		text := alignmentText(term.New(new(bytes.Buffer), new(bytes.Buffer), 60, false), a)
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, line)
		}
		require.Equal(t, len(a.Columns)*len(a.Rows)+1, strings.Count(text, "·"), "and one in the key")
	})
}
