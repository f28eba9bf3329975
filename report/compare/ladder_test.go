package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/report"
)

func slip(settings ...string) report.Slip { return report.Slip{Settings: settings} }

// right is a pattern of n reviews of which so many are right, and two more seeds.
func right(n, hits int) []string {
	one := strings.Repeat("+", hits) + strings.Repeat("-", n-hits)
	two := strings.Repeat("+", hits-1) + strings.Repeat("-", n-hits+1)
	return []string{one, two, one}
}

func plan(t *testing.T) report.LadderPlan {
	a, b, c := slip("slip.a=true"), slip("lambda=0.1", "slip.b=true"), slip("slip.c=true")
	return report.LadderPlan{
		Title: "made up",
		Slips: []report.Slip{a, b, c, {Settings: []string{"slip.d=true"}, Inert: "it is shown only"}},
		Down: []report.State{
			{Side: side(t, "original", right(500, 300)...)},
			{Out: []report.Slip{a}, Side: side(t, "without a", right(500, 400)...)},
			{Out: []report.Slip{b}},
			{Out: []report.Slip{c}, Side: side(t, "default", right(500, 420)...)},
		},
		Alone: []report.State{
			{Out: []report.Slip{b}, Side: side(t, "b", right(500, 420)...)},
			{Out: []report.Slip{a}, Side: side(t, "a", right(500, 350)...)},
			{Out: []report.Slip{c}},
		},
		Bases: []report.Side{side(t, "default", right(500, 420)...), side(t, "default", right(500, 420)...), side(t, "default", right(500, 420)...)},
		Train: []string{"exp run made-up slip.c=true seed=1..3"},
	}
}

func TestLadder(t *testing.T) {
	l, err := report.NewLadder(plan(t))
	require.NoError(t, err)
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

	var text, md, csv bytes.Buffer
	require.NoError(t, l.Text(&text, 60, false))
	for _, want := range []string{"without", "nothing: original", "not run yet", "the same", "slip.d changes nothing here: it is shown only", "  exp run made-up slip.c=true seed=1..3\n"} {
		assert.Contains(t, text.String(), want)
	}
	for line := range strings.Lines(text.String()) {
		assert.LessOrEqual(t, len([]rune(line)), 61, line)
	}
	require.NoError(t, l.Markdown(&md))
	assert.Contains(t, md.String(), "```\nexp run made-up slip.c=true")
	require.NoError(t, l.CSV(&csv))
	assert.Equal(t, 6, strings.Count(csv.String(), "\n"))
}

func TestLadderOfFewRuns(t *testing.T) {
	p := plan(t)
	p.Down[0].Side.Answers = nil
	l, err := report.NewLadder(p)
	require.NoError(t, err)
	assert.Nil(t, l.Down[0].Comparison, "the original is missing")
	assert.NotNil(t, l.Down[1].Comparison)

	for i := range p.Down {
		p.Down[i].Side.Answers = nil
	}
	for i := range p.Alone {
		p.Alone[i].Side.Answers = nil
	}
	l, err = report.NewLadder(p)
	require.NoError(t, err)
	assert.True(t, l.Empty())
	assert.Equal(t, "a + lambda=0.1 b + c", l.Down[0].Name())

	two := plan(t)
	for i := range two.Down {
		if s := &two.Down[i].Side; len(s.Answers) > 2 {
			s.Answers = s.Answers[:2]
		}
	}
	l, err = report.NewLadder(two)
	require.NoError(t, err)
	assert.Contains(t, notesOf(l.Down[0].Comparison), "2 of the 3 wanted")
}

func TestWaterfall(t *testing.T) {
	l, err := report.NewLadder(plan(t))
	require.NoError(t, err)
	f := report.Waterfall(l)
	assert.Equal(t, "ladder-made-up", f.Name)
	paths, err := f.Save(t.TempDir())
	require.NoError(t, err)
	require.Len(t, paths, 2)
	var svg bytes.Buffer
	require.NoError(t, f.Write(&svg, "svg", report.Page))
	for _, want := range []string{"taken out one by one", "put back alone", "not run yet", "within noise", "3 seeds each"} {
		assert.Contains(t, svg.String(), want)
	}
}

// Where a seed has gone wrong an interval reaches far: what is drawn of accuracies ends
// at 100 %.
func TestWaterfallEndsAtAllRight(t *testing.T) {
	p := plan(t)
	p.Down[0].Side = side(t, "original", append(right(500, 400)[:2], right(500, 200)[0])...)
	l, err := report.NewLadder(p)
	require.NoError(t, err)
	c := l.Down[0].Comparison
	require.Greater(t, c.Accuracy[0].Mean+c.Interval.High, 100.0)
	f := report.Waterfall(l)
	assert.Contains(t, f.Caption, "without an end goes on beyond the axis")
	svg, err := f.Inline()
	require.NoError(t, err)
	assert.Contains(t, svg, ">100</text>")
	assert.NotRegexp(t, `>1[1-9]\d</text>`, svg)
}

func TestGoldenWaterfall(t *testing.T) {
	l, err := report.NewLadder(plan(t))
	require.NoError(t, err)
	f := report.Waterfall(l)
	samePicture(t, f, report.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
