package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/probe"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

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
	require.Contains(t, text, "reader reads best: it is right on 75 % of the originals and 80 % of the rewritings. counter reads worst: 80 % of the originals and 20 % of the rewritings.")
	require.Contains(t, reporttest.CSV(t, table.Records()), "minimal,cad,counter,1,10,false,,80,20,,20,-60,")

	broken := answers("cad", "ob")
	broken.Rows = broken.Rows[:3]
	require.ErrorContains(t, must.Fail(compare.NewProbed("broken", []*runs.Run{{}}, []*runs.Predictions{broken})), "2 originals and 1 rewritings of cad")
}
