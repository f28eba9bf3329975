package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report"
	"imdbexp/runs"
)

// typed is how the tests write a command.
func typed(words ...string) string { return "exp " + strings.Join(words, " ") }

// Each figure of the published report is known, and told what to type for where
// runs do not show it.
func TestNumberedFigures(t *testing.T) {
	assert.Equal(t, []int{2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22}, report.FigureNumbers())
	for n := 1; n <= 22; n++ {
		assert.NotEmpty(t, report.FigureTitle(n), n)
		figures, err := report.Numbered(nil, typed, n)
		assert.Empty(t, figures)
		assert.ErrorContains(t, err, fmt.Sprintf("figure %d (%s)", n, report.FigureTitle(n)))
		assert.ErrorContains(t, err, ": exp ", "what to type")
	}
	for n, command := range map[int]string{
		1: "exp show tme9-mean", 5: "exp attend tme9-simple", 18: "exp draw dots tme10-pe",
		14: "exp run tme9-entropy optimizer=sgd variant=original",
	} {
		_, err := report.Numbered(nil, typed, n)
		assert.ErrorContains(t, err, command)
	}
	for _, n := range []int{-1, 0, 23} {
		assert.Empty(t, report.FigureTitle(n))
		_, err := report.Numbered(nil, typed, n)
		assert.ErrorContains(t, err, "\n  14  loss and accuracy of tme9-entropy, sgd\n")
	}
}

func TestNumberedOfEachVariant(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, variant := range []string{"original", "default"} {
		set := []string{"slip.whitespace=" + fmt.Sprint(variant == "original")}
		list = append(list, made{name: "tme9-lstm", variant: variant, set: set, data: imdb, published: lstm}.add(t, dir))
	}
	figures, err := report.Numbered(list, typed, 11)
	require.NoError(t, err)
	require.Len(t, figures, 2)
	assert.Equal(t, "figure-11-tme9-lstm-adam-default", figures[0].Name)
	assert.Equal(t, "figure-11-tme9-lstm-adam-original", figures[1].Name)

	begun := made{name: "tme9-mean", variant: "default", data: imdb, unfinished: true}.add(t, dir)
	_, err = report.Numbered([]*runs.Run{begun}, typed, 2)
	assert.ErrorContains(t, err, begun.Label()+" has nothing to draw: created")
}
