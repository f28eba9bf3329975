package tables_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// A number of a run that has learned nothing says so, and a mean over seeds how many of
// them it is of.
func TestRunsAtChance(t *testing.T) {
	type seed struct{ loss, test float64 } // a loss of 0: it has learned
	learned := seed{0, 82.5}
	guesses := seed{math.Ln2, 50.1}
	for name, c := range map[string]struct {
		seeds      []seed
		unfinished bool
		want       func(ids []string) string // "": no note
	}{
		"learned":        {seeds: []seed{learned, learned}},
		"one":            {seeds: []seed{guesses}, want: func([]string) string { return "its loss is at the level of guessing" }},
		"exploded":       {seeds: []seed{{40, 50}}, want: func([]string) string { return "its loss has exploded" }},
		"worse":          {seeds: []seed{{1.2 * math.Ln2, 50}}, want: func([]string) string { return "its loss is above the level of guessing" }},
		"one of three":   {seeds: []seed{learned, guesses, learned}, want: func(ids []string) string { return "1 of 3 seeds, " + ids[1] }},
		"all":            {seeds: []seed{guesses, guesses}, want: func(ids []string) string { return fmt.Sprintf("2 of 2 seeds, %s %s", ids[0], ids[1]) }},
		"above chance":   {seeds: []seed{{math.Ln2, 51.5}}},
		"a smaller loss": {seeds: []seed{{0.98 * math.Ln2, 50}}},
		"not at its end": {seeds: []seed{guesses}, unfinished: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var list []*runs.Run
			var ids []string
			for i, s := range c.seeds {
				m := reporttest.Run{Name: "tme9-lstm", Variant: "default", Set: []string{fmt.Sprintf("seed=%d", i+1)}, Data: reporttest.IMDB,
					Published: reporttest.LSTM, Test: []float64{s.test}, Unlearned: s.loss, Unfinished: c.unfinished}
				if c.unfinished {
					m.Epochs = 2
				}
				run := m.Add(t, dir)
				list, ids = append(list, run), append(ids, run.Config.ID[:8])
			}
			rep := reporttest.Build(t, list...)
			cell := rep.Blocks[0].Rows[0].Cells["default"]
			require.Len(t, cell.Runs, len(c.seeds))
			i := slices.IndexFunc(cell.Notes, func(n report.Note) bool { return n.Kind == report.Unlearned })
			csv := reporttest.CSV(t, rep.Records())
			if c.want == nil {
				assert.Negative(t, i, "%v", cell.Notes)
				assert.NotContains(t, csv, "has not learned")
				return
			}
			require.GreaterOrEqual(t, i, 0, "%v", cell.Notes)
			assert.Equal(t, c.want(ids), cell.Notes[i].Text)
			assert.Contains(t, csv, "has not learned")
			assert.Contains(t, reporttest.Text(t, rep, 0), "has not learned: "+c.want(ids)+".")
		})
	}
}

// In one place of a pivot each run that has learned nothing is named, and whose seeds are told
// from others' is said once.
func TestPivotOfRunsAtChance(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, lr := range []string{"lr=0.1", "lr=0.2"} {
		list = append(list, reporttest.Run{Name: "tme9-simple", Variant: "default", Data: reporttest.IMDB, User: []string{lr}, Test: []float64{50}, Unlearned: math.Ln2}.Add(t, dir))
	}
	notes := lines(t, pivot(t, tables.PivotOptions{Rows: []string{"model"}}, list...))[0]["notes"]
	for _, run := range list {
		assert.Contains(t, notes, "has not learned: "+run.Config.ID[:8]+", its loss is at the level of guessing")
	}
	text := reporttest.Text(t, pivot(t, tables.PivotOptions{Rows: []string{"model", "lr"}}, list...), 0)
	assert.Equal(t, 1, strings.Count(text, "has not learned: its loss is at the level of guessing"), text)
}
