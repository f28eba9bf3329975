package compare_test

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
)

// In each slice the accuracy and the paired difference are those of its reviews alone; p is adjusted
// over all slices.
func TestSlices(t *testing.T) {
	side := func(name, predicted string) compare.Side {
		text := "review\tlabel\tpredicted\n"
		for i, p := range predicted {
			text += string(rune('a'+i)) + "\tpos\t" + map[rune]string{'+': "pos", '-': "neg"}[p] + "\n"
		}
		a := must.Get(compare.ParseAnswers(name, []byte(text+"z\tneg\tneg\n")))(t)
		return compare.Side{Name: name, Answers: []*compare.Answers{a}}
	}
	a, b := side("A", "+-+-----+-+-+++-"), side("B", "-+++++++-+-+--+-")
	part := func(from, to rune) map[string]bool {
		out := map[string]bool{"z": true}
		for r := from; r < to; r++ {
			out[string(r)] = true
		}
		return out
	}
	s := must.Get(compare.BySlice("half", []compare.Slice{{Name: "first", Reviews: part('a', 'i')}, {Name: "none", Reviews: map[string]bool{}}, {Name: "second", Reviews: part('i', 'q')}}, []compare.Side{a, b}, true))(t)
	out := reporttest.CSV(t, s.Records())
	lines := must.Get(csv.NewReader(strings.NewReader(out)).ReadAll())(t)
	require.Len(t, lines, 5, "a head and two slices of two sides")
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	for i, want := range []struct {
		slice, acc         string
		onlyFirst, onlySec int
	}{{"first", "33.33333333333333", 0, 0}, {"first", "88.88888888888889", 1, 6}, {"second", "66.66666666666667", 0, 0}, {"second", "44.44444444444444", 4, 2}} {
		line := lines[i+1]
		require.Equal(t, want.slice, line[at["slice"]])
		require.InDelta(t, number(t, want.acc), number(t, line[at["acc"]]), 1e-9)
		w := stats.WilsonPercent(number(t, want.acc), 9)
		require.InDelta(t, w.Low, number(t, line[at["acc_low"]]), 1e-9)
		if i%2 == 0 {
			require.Empty(t, line[at["p"]])
			continue
		}
		e := stats.Paired(9, want.onlyFirst, want.onlySec)
		require.InDelta(t, e.P, number(t, line[at["p"]]), 1e-9)
		require.InDelta(t, 100*e.Interval.Low, number(t, line[at["low"]]), 1e-9)
		require.Greater(t, number(t, line[at["p_holm"]]), 0.99*e.P)
	}
	require.InDelta(t, 2*number(t, lines[2][at["p"]]), number(t, lines[2][at["p_holm"]]), 1e-9)

	alone := must.Get(compare.BySlice("half", []compare.Slice{{Name: "first", Reviews: part('a', 'i')}}, []compare.Side{b}, false))(t)
	text := reporttest.Text(t, alone, 0)
	require.Regexp(t, ` first +B +9 +88\.89 +56\.5–98\.0\n`, text)
	require.NotContains(t, text, "difference")
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseFloat(text, 64))(t)
	return v
}
