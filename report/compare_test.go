package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/probe"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

func TestCompareTwoRuns(t *testing.T) {
	// Of 21 reviews A alone has 1 right, B alone 8: z = 7/3.
	a := reporttest.Side("A", "++++++++++ +--------"+"--")
	b := reporttest.Side("B", "++++++++++ -++++++++"+"--")
	list := must.Get(compare.Against(a, b))(t)
	c := list[0]
	assert.Equal(t, [2]int{1, 8}, c.Only)
	assert.InDelta(t, 0.0196306, c.P, 1e-6)
	assert.Equal(t, 21, c.Reviews)
	assert.InDelta(t, 100*7./21, c.Difference, 1e-9)
	assert.False(t, c.Noise())
	assert.Contains(t, c.Sentence(), "B is better than A by 33.33 points")
	assert.Contains(t, c.Sentence(), "McNemar's test (score)")

	list = must.Get(compare.Against(b, a))(t)
	assert.InDelta(t, -100*7./21, list[0].Difference, 1e-9)
	assert.Contains(t, list[0].Sentence(), "A is worse than B")

	// Where the correction changes a verdict, the table shows both p and says by which the verdict goes.
	assert.NotContains(t, reporttest.Text(t, compare.Table(list), 0), "p (Holm)")
	list = must.Get(compare.Against(a, b, a, reporttest.Side("C", "++++++++++ ++-------"+"--")))(t)
	assert.InDelta(t, 3*0.0196306, list[0].Adjusted, 1e-6, "Holm: the least of three")
	assert.True(t, list[0].Noise(), "0.059 after the correction")
	assert.Contains(t, list[0].Sentence(), "adjusted by Holm's method = 0.059, the interval not")
	assert.True(t, list[1].Noise())
	text := reporttest.Text(t, compare.Table(list), 0)
	assert.Regexp(t, `p +p \(Holm\) +verdict`, text)
	assert.Regexp(t, `B¹ .*0\.020 +0\.059 +within noise`, text)
	assert.Contains(t, text, "The verdict uses p (Holm), adjusted for 3 comparisons; intervals are not adjusted.")
}

// Two runs that are right on the same reviews may be wrong in other ways, of three classes: they are not the same.
func TestRightOnTheSame(t *testing.T) {
	list := must.Get(compare.Against(reporttest.Side("A", "+-++"), reporttest.Side("B", "+-++")))(t)
	text := reporttest.Text(t, compare.Table(list), 0)
	assert.Regexp(t, `B.* right on the same\n`, text)
	assert.Contains(t, text, "A and B are right on the same reviews: +0.00 points")
	assert.NotContains(t, text, "within noise")
}

func TestComparePairsSeeds(t *testing.T) {
	a := reporttest.Side("A", "++++----", "+++-----", "++------")
	b := reporttest.Side("B", "+++++---", "++++----")
	list := must.Get(compare.Against(a, b))(t)
	c := list[0]
	assert.True(t, c.Paired)
	assert.Equal(t, [2]int{2, 2}, c.Seeds, "seeds 1 and 2, which both have")
	assert.InDelta(t, 12.5, c.Difference, 1e-9)
	assert.Contains(t, notesOf(c), "A has 1 more")
	assert.Contains(t, notesOf(c), "two pairs: the interval is long")

	b.Answers[0].Seed, b.Answers[1].Seed = 8, 9
	list = must.Get(compare.Against(a, b))(t)
	assert.False(t, list[0].Paired)
	assert.Equal(t, [2]int{3, 2}, list[0].Seeds)
	assert.Contains(t, list[0].Sentence(), "not paired")
}

func notesOf(c *compare.Comparison) string {
	var out []string
	for _, n := range c.Notes {
		out = append(out, n.String())
	}
	return strings.Join(out, "\n")
}

func TestCompareWarns(t *testing.T) {
	a, b := reporttest.Side("A", "+++++.?-"), reporttest.Side("B", "++.++-?-")
	list := must.Get(compare.Against(a, b))(t)
	c := list[0]
	assert.Equal(t, 5, c.Reviews)
	assert.Contains(t, notesOf(c), "other reviews: only the 5 common to all are compared, of 6 of A, 6 of B", "of those with a label")
}

func TestCompareRefuses(t *testing.T) {
	a := reporttest.Side("A", "++++")
	for want, other := range map[string]compare.Side{
		"both sides need predictions": {Name: "none"},
		"A and other have no reviews in common (r0 and r5, for example): test both on the same data": reporttest.Side("other", ".....+"),
		"A and other need predictions of reviews with a label; exp report shows other numbers":       reporttest.Side("other", "????"),
	} {
		require.ErrorContains(t, must.Fail(compare.Against(a, other)), want)
	}
}

func TestRunsAsSides(t *testing.T) {
	worse := reporttest.Run{Name: "tme9-mean", Epochs: 1, Predictions: reporttest.Predicted(400, func(i int) bool { return i%4 != 0 })}
	better := reporttest.Run{Name: "tme9-simple", Epochs: 1, Predictions: reporttest.Predicted(400, func(i int) bool { return i%8 != 0 })}
	second := better
	second.Set = []string{"seed=2"}
	original := better
	original.Variant, original.Set = "original", []string{"slip.drop_last=true"}
	list := []*runs.Run{worse.New(t), better.New(t), second.New(t), original.New(t)}

	groups := report.BySetting(list)
	require.Len(t, groups, 3)
	assert.Len(t, groups[1], 2, "two seeds of one setting")
	names := report.Names(groups)
	assert.Equal(t, []string{"tme9-mean adam", "tme9-simple adam", "tme9-simple adam original"}, names)

	var sides []compare.Side
	for i, g := range groups {
		s := must.Get(compare.ReadSide(names[i], g))(t)
		sides = append(sides, s)
	}
	compared := must.Get(compare.Against(sides[0], sides[1:]...))(t)
	assert.InDelta(t, 12.5, compared[0].Difference, 1e-9)
	table := compare.Table(compared)
	reporttest.Text(t, table, 60)
	assert.Contains(t, reporttest.Written(t, table.Markdown), "| tme9-simple adam")
	csv := reporttest.CSV(t, table.Records())
	assert.Equal(t, 3, strings.Count(csv, "\n"))

	stopped := worse
	stopped.Set, stopped.Unfinished = []string{"seed=5"}, true
	_, err := compare.ReadSide("stopped", []*runs.Run{stopped.New(t)})
	var none *compare.NoPredictionsError
	require.ErrorAs(t, err, &none)
}

// Of one comparison the verdict, p and the interval say the same, and the sides may
// change places; of several the verdict is never bolder than they are.
func TestVerdictAgrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(8, 60).Draw(rt, "reviews")
		side := func(name string) compare.Side {
			runs := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("+++-")), n, n, -1), 1, 3).Draw(rt, name)
			return reporttest.Side(name, runs...)
		}
		a, b, other := side("A"), side("B"), side("C")
		one := must.Get(compare.Against(a, b))(rt)
		c := one[0]
		require.Equal(rt, c.P >= 0.05, c.Noise())
		require.Equal(rt, c.Interval.Holds(0), c.Noise())
		// Of sides that are right on the same reviews the sentence says that instead of noise.
		require.Equal(rt, strings.Contains(c.Sentence(), " better than ") || strings.Contains(c.Sentence(), " worse than "), !c.Noise())
		if c.Difference != 0 {
			back := must.Get(compare.Against(b, a))(rt)
			require.Equal(rt, c.P, back[0].P)
			require.Equal(rt, c.Interval, back[0].Interval.Negative())
		}
		several := must.Get(compare.Against(a, b, other))(rt)
		require.Equal(rt, c.Interval, several[0].Interval, "an interval is of its row alone")
		require.True(rt, several[0].Noise() || !several[0].Interval.Holds(0))
	})
}

// answers are those of a run to pairs of two classes; all originals are of class 0, all rewritings
// of class 1. right has a letter for each pair: o and r for the original or the rewriting alone, b
// for both, n for none.
func answers(set, right string) *runs.Predictions {
	p := &runs.Predictions{Classes: []string{"neg", "pos"}}
	for i, x := range right {
		o, r := 1, 0
		if x == 'o' || x == 'b' {
			o = 0
		}
		if x == 'r' || x == 'b' {
			r = 1
		}
		id := set + "/" + string(rune('a'+i))
		p.Rows = append(p.Rows, runs.Prediction{Review: id + probe.OriginalText, Predicted: o, P: []float32{1, 0}},
			runs.Prediction{Review: id + probe.RewrittenText, Label: 1, Predicted: r, P: []float32{1, 0}})
	}
	return p
}

func TestProbe(t *testing.T) {
	counter := must.Get(compare.NewProbed("counter", []*runs.Run{{}}, []*runs.Predictions{answers("cad", "oooobbnnoo")}))(t)
	reader := must.Get(compare.NewProbed("reader", []*runs.Run{{}, {}}, []*runs.Predictions{answers("cad", "bbbbbbnnob"), answers("cad", "bbbbbbnrrb")}))(t)
	x := counter[0]
	require.Equal(t, []float64{80, 20, 20}, []float64{x.Originals.Mean, x.Rewritings.Mean, x.Both.Mean})
	require.InDelta(t, -60, x.Drop.Difference, 1e-9)
	require.Less(t, x.Drop.Interval.High, 0.0)
	y := reader[0]
	require.Equal(t, []float64{75, 80, 70}, []float64{y.Originals.Mean, y.Rewritings.Mean, y.Both.Mean})
	require.InDelta(t, 7.0710678, y.Originals.SD, 1e-6)
	table := must.Get(compare.Probe("minimal", [][]*compare.Probed{counter, reader}))(t)
	require.InDelta(t, 60, y.Against.Difference, 1e-9)
	require.Equal(t, y.Against.P, y.Adjusted, "a single comparison")
	text := reporttest.Text(t, table, 0)
	require.Contains(t, text, "cad: 10 pairs of minimal")
	require.Contains(t, text, "reader is best: it is right on 75 % of the originals and 80 % of the rewritings. counter is worst: 80 % of the originals and 20 % of the rewritings.")
	require.Contains(t, reporttest.CSV(t, table.Records()), "minimal,cad,counter,1,10,false,,80,20,,20,-60,")

	broken := answers("cad", "ob")
	broken.Rows = broken.Rows[:3]
	require.ErrorContains(t, must.Fail(compare.NewProbed("broken", []*runs.Run{{}}, []*runs.Predictions{broken})), "2 originals and 1 rewritings of cad")
}

func TestLadder(t *testing.T) {
	l := must.Get(compare.NewLadder(reporttest.Plan()))(t)
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
	p := reporttest.Plan()
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

	two := reporttest.Plan()
	for i := range two.States {
		if s := &two.States[i].Side; len(s.Answers) > 2 {
			s.Answers = s.Answers[:2]
		}
	}
	l = must.Get(compare.NewLadder(two))(t)
	assert.Contains(t, notesOf(l.Down[0].Comparison), "2, fewer than 3")
}
