package compare_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
)

func TestLadder(t *testing.T) {
	l := must.Get(compare.NewLadder(reporttest.Plan(t)))(t)
	require.Len(t, l.Down, 2)
	assert.Equal(t, "a", l.Down[0].Name())
	assert.InDelta(t, 20, l.Down[0].Comparison.Difference, 1e-9)
	assert.False(t, l.Down[0].Comparison.Noise())
	assert.Equal(t, "lambda=0.1 b + c", l.Down[1].Name(), "b has not been run by itself")
	assert.InDelta(t, 4, l.Down[1].Comparison.Difference, 1e-9)

	require.Len(t, l.Alone, 3)
	assert.Equal(t, []string{"a", "lambda=0.1 b", "c"}, []string{l.Alone[0].Name(), l.Alone[1].Name(), l.Alone[2].Name()}, "the largest change first, the missing last")
	assert.True(t, l.Alone[1].Comparison.Noise(), "nothing changed")
	assert.Nil(t, l.Alone[2].Comparison)
	assert.False(t, l.Empty())

	text := reporttest.Text(t, l, 60)
	for _, want := range []string{"without", "nothing: original", "not run yet", "the same", "slip.d changes nothing here: it is shown only", "  exp run made-up slip.c=true seed=1..3\n"} {
		assert.Contains(t, text, want)
	}
	assert.Contains(t, reporttest.Written(t, l.Markdown), "```\nexp run made-up slip.c=true")
	csv := reporttest.CSV(t, l.Records())
	assert.Equal(t, 6, strings.Count(csv, "\n"))
}

func TestLadderOfFewRuns(t *testing.T) {
	p := reporttest.Plan(t)
	p.States[0].Side.Answers = nil
	l := must.Get(compare.NewLadder(p))(t)
	assert.Nil(t, l.Down[0].Comparison, "the original is missing")
	assert.NotNil(t, l.Down[1].Comparison)

	for i := range p.States {
		p.States[i].Side.Answers = nil
	}
	for i := range p.Single {
		p.Single[i].Side.Answers = nil
	}
	l = must.Get(compare.NewLadder(p))(t)
	assert.True(t, l.Empty())
	assert.Equal(t, "a + lambda=0.1 b + c", l.Down[0].Name())

	two := reporttest.Plan(t)
	for i := range two.States {
		if s := &two.States[i].Side; len(s.Answers) > 2 {
			s.Answers = s.Answers[:2]
		}
	}
	l = must.Get(compare.NewLadder(two))(t)
	assert.Contains(t, notesOf(l.Down[0].Comparison), "2, fewer than 3")
}
