package tables_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// The report counts looks at test where something can have been chosen by them, and
// says nothing where nothing can.
func TestLooksAtTest(t *testing.T) {
	looked := func(text string) report.Note { return report.Note{Kind: report.Looked, Text: text} }
	lstm := func(user ...string) reporttest.Run {
		return reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, User: user}
	}
	byTest := reporttest.Run{Name: "tme9-lstm", Variant: "original", Data: reporttest.IMDB, Best: 2, Set: []string{"select=best", "slip.choose_on_test=true"}}
	tried := looked("12 times in 3 runs of 2 settings of tme9-lstm adam default; to take the best setting is to choose on the test set")
	for name, c := range map[string]struct {
		runs []reporttest.Run
		want [][]report.Note // of each row's cells, original before default
	}{
		"seeds are no choice":     {[]reporttest.Run{lstm(), lstm("seed=2")}, [][]report.Note{nil}},
		"several settings":        {[]reporttest.Run{lstm(), lstm("seed=2"), lstm("lr=0.5")}, [][]report.Note{{tried}, {tried}}},
		"never looked at":         {[]reporttest.Run{lstm("test=never"), lstm("test=never", "lr=0.5")}, nil},
		"one looked at":           {[]reporttest.Run{lstm("test=never"), lstm("lr=0.5")}, [][]report.Note{nil}},
		"variants are no choice":  {[]reporttest.Run{lstm(), {Name: "tme9-lstm", Variant: "original", Data: reporttest.IMDB, Set: []string{"slip.drop_last=true"}}}, [][]report.Note{nil, nil}},
		"epoch chosen by test":    {[]reporttest.Run{byTest}, [][]report.Note{{looked("4 times in 1 run, to choose the epoch")}}},
		"epoch chosen on the way": {[]reporttest.Run{{Name: "tme9-lstm", Data: reporttest.IMDB, Best: 2, Set: []string{"select=best"}}}, [][]report.Note{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var list []*runs.Run
			for _, m := range c.runs {
				list = append(list, m.Add(t, dir))
			}
			var got [][]report.Note
			b := reporttest.Build(t, list...).Blocks[0]
			for _, row := range b.Rows {
				for _, v := range b.Variants {
					if cell := row.Cells[v]; cell != nil {
						got = append(got, cell.Notes)
					}
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// A block is named by all of its reviews, whichever of its runs is the oldest: one may have
// been given fewer to train on.
func TestBlockOfPartlyTrained(t *testing.T) {
	few := reporttest.IMDB
	few.Train.Reviews = 6250
	part := reporttest.Run{Name: "tme9-lstm", Data: few, User: []string{"data.train=6250"}}
	whole := reporttest.Run{Name: "tme9-lstm", Data: reporttest.IMDB, Published: reporttest.LSTM}
	var blocks []tables.Block
	for _, order := range [][]reporttest.Run{{part, whole}, {whole, part}} {
		dir := t.TempDir()
		var list []*runs.Run
		for _, r := range order {
			list = append(list, r.Add(t, dir))
		}
		all := reporttest.Build(t, list...).Blocks
		require.Len(t, all, 1)
		blocks = append(blocks, all[0])
		assert.Contains(t, all[0].Title, "25 000 training")
	}
	assert.Equal(t, blocks[0].Title, blocks[1].Title)
	assert.Equal(t, blocks[0].Variants, blocks[1].Variants)
}
