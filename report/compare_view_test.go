package report_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// A p near 0.05 is printed with enough digits to agree with the verdict.
func TestProbabilityTellsItsSide(t *testing.T) {
	for p, want := range map[float64]string{
		0.04986: "0.0499", 0.0495: "0.0495", 0.04949: "0.049", 0.05: "0.0500", 0.05004: "0.0500", 0.05049: "0.0505", 0.0505: "0.051",
		0.049999: "<0.05", math.Nextafter(0.05, 0): "<0.05", 0.00005: "<0.0001", 0.2: "0.200",
	} {
		c := &compare.Comparison{First: "A", Second: "B", Estimate: stats.Estimate{P: p}, Adjusted: 1, Method: "a test"}
		assert.Contains(t, strings.Fields(reporttest.Text(t, compare.Table{c}, 0)), want, "%v", p)
	}
}

// The end of an interval near 0 is printed with enough digits to show its sign.
func TestTableTellsTheSideOfZero(t *testing.T) {
	c := &compare.Comparison{First: "A", Second: "B", Seeds: [2]int{1, 1}, Reviews: 25000, Only: [2]int{9, 3}, Estimate: stats.Estimate{Difference: -0.5, Interval: stats.Interval{Low: -0.99, High: -0.0038}, P: 0.04986}, Adjusted: 0.04986, Method: "a test"}
	var text, md bytes.Buffer
	require.NoError(t, compare.Table{c}.Text(&text, 0, false))
	require.NoError(t, compare.Table{c}.Markdown(&md))
	for _, out := range []string{text.String(), md.String()} {
		assert.Contains(t, out, "−0.99 to −0.004")
		assert.Contains(t, out, "p = 0.0499")
		assert.Contains(t, out, "worse")
	}
}

// dividedSide has a run for each pattern, with a + for each right answer. The test sets of 4 reviews
// overlap.
func dividedSide(t *testing.T, name string, first int, patterns ...string) compare.Side {
	t.Helper()
	data := runs.DataFacts{Name: "mine", Train: runs.Part{Reviews: 16}, Test: runs.Part{Reviews: 4}}
	var list []*runs.Run
	for i, pattern := range patterns {
		p := reporttest.Patterned(pattern)
		for k := range p.Rows {
			p.Rows[k].Review, p.Rows[k].P = fmt.Sprint("train/", i+k), []float32{0.5, 0.5}
		}
		list = append(list, reporttest.Run{Name: "tme9-mean", Data: data, Epochs: 1, User: []string{fmt.Sprint("data.test_seed=", first+i)}, Predictions: p}.New(t))
	}
	s := must.Get(compare.ReadSide(name, list))(t)
	s.Config.Name = name
	return s
}

// Differences of 0, 25 and 50 points: t = 0.25/√((1/3 + 4/16)·0.0625) = 1.309307, p = 0.320634.
func TestDivisions(t *testing.T) {
	a := dividedSide(t, "a", 1, "++--", "++--", "++--")
	b := dividedSide(t, "b", 1, "++--", "+++-", "++++", "----")
	list := must.Get(compare.Against(a, b))(t)
	c := list[0]
	assert.Equal(t, 3, c.Divisions, "those that both have")
	assert.Equal(t, 4, c.Reviews)
	assert.InDelta(t, 25, c.Difference, 1e-9)
	assert.InDelta(t, 0.320634, c.P, 1e-6)
	assert.InDelta(t, 25-100*4.302653*0.190941, c.Interval.Low, 1e-3)
	assert.Contains(t, c.Sentence(), "corrected resampled t-test (Nadeau and Bengio 2003) on test sets of 4 reviews: p = 0.321; 3 divisions, paired; their test sets overlap")

	require.ErrorContains(t, must.Fail(compare.Against(a, dividedSide(t, "c", 3, "++--", "++--"))), "fewer than two divisions")
	second, one := dividedSide(t, "a", 2, "++--"), dividedSide(t, "d", 2, "+++-")
	require.Equal(t, "McNemar's test (score)", must.Get(compare.Against(second, one))(t)[0].Method, "one test set")
	require.ErrorContains(t, compare.OneTestSet(a, b), "a[data.test_seed=2]")
	require.NoError(t, compare.OneTestSet(second, one))
}
