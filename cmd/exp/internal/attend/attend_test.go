package attend

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

func TestSurestWrong(t *testing.T) {
	row := func(id string, label, predicted int, p ...float32) runs.Prediction {
		return runs.Prediction{Review: id, Label: label, Predicted: predicted, P: p}
	}
	rows := []runs.Prediction{
		row("right", 0, 0, 1, 0), row("wrong", 0, 1, 0.2, 0.8), row("unlabelled", -1, 0, 1, 0),
		row("sure and wrong", 1, 0, 1, 1e-9), row("surer and wrong", 1, 0, 1, 1e-12),
	}
	var names []string
	for _, r := range surestWrong(rows, 9) {
		names = append(names, r.Review)
	}
	require.Equal(t, []string{"surer and wrong", "sure and wrong", "wrong"}, names, "1 − 1e-9 and 1 − 1e-12 are the same float32")
	require.Len(t, surestWrong(rows, 1), 1)
}

// A text without any n-gram of the training reviews gets no table, not one with only a header.
func TestContributionsOfNothing(t *testing.T) {
	var out bytes.Buffer
	v := &infer.View{Explained: &counts.Explanation{For: 1}}
	io := term.New(&out, &out, 80, false)
	require.Nil(t, wordTable(io, []string{"neg", "pos"}, v, 10))
	v.Explained.Terms = []counts.Term{{Name: "good", Sum: 0.5}}
	wordTable(io, []string{"neg", "pos"}, v, 10).Text(io, "")
	require.Contains(t, out.String(), "good")
}

func printed(width int, a translator.Alignment) string {
	var out bytes.Buffer
	printAlignment(term.New(&out, new(bytes.Buffer), width, false), a)
	return out.String()
}

func TestAlignmentText(t *testing.T) {
	carpet := translator.Alignment{
		Columns: []string{"the", "red", "carpet"}, Rows: []string{"le", "tapis", "rouge", "(end)"},
		Weights: [][]float64{{0.7}, {0, 0.04, 0.96}, {0.05, 0.95, 0}, {0.2, 0.3, 0.5}},
	}
	require.Equal(t, `         the  red  carpet
  le       7
  tapis    ·    ·       9
  rouge    0    9       ·
  (end)    2    3       5

  weights in tenths, · below 0.05
`, printed(60, carpet))
	require.Equal(t, 2, strings.Count(printed(20, carpet), "rouge"), "the columns continue below")
}

// Sentences of any length fit the width, and every word has a column.
func TestAlignmentFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé\']{1,24}`), 1, 150)
		a := translator.Alignment{Columns: words.Draw(t, "source"), Rows: rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,24}`), 1, 4).Draw(t, "target")}
		for range a.Rows {
			a.Weights = append(a.Weights, make([]float64, len(a.Columns)))
		}
		text := printed(60, a)
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, line)
		}
		require.Equal(t, len(a.Columns)*len(a.Rows)+1, strings.Count(text, "·"), "and one in the key")
	})
}
