package report_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// kinds returns the kinds of notes, in order.
func kinds(notes []report.Note) []report.Kind {
	var out []report.Kind
	for _, n := range notes {
		out = append(out, n.Kind)
	}
	return out
}

func TestPublishedOnlyWhereComparable(t *testing.T) {
	limited := reporttest.IMDB
	limited.Train.Reviews, limited.Test.Reviews = 2000, 2000
	renamed := reporttest.IMDB
	renamed.Name = "mine"
	held := reporttest.IMDB
	held.Train.Reviews, held.Valid.Reviews = 22500, 2500
	for name, c := range map[string]struct {
		reporttest.Run
		want []report.Kind // nil: the published number is shown
	}{
		"full":                       {reporttest.Run{Published: reporttest.LSTM}, nil},
		"full, ten percent held out": {reporttest.Run{Data: held, Published: reporttest.LSTM, User: []string{"select=best"}}, nil},
		"longer":                     {reporttest.Run{Published: reporttest.LSTM, User: []string{"epochs=6"}}, nil},
		"another seed":               {reporttest.Run{Published: reporttest.LSTM, User: []string{"seed=7"}}, nil},
		"the same vectors":           {reporttest.Run{Published: reporttest.LSTM, User: []string{"vectors=glove50"}}, nil},
		"shorter":                    {reporttest.Run{Published: reporttest.LSTM, User: []string{"epochs=3"}}, []report.Kind{report.Shorter}},
		"stopped early":              {reporttest.Run{Published: reporttest.LSTM, Epochs: 3}, []report.Kind{report.Shorter}},
		"sample":                     {reporttest.Run{Data: reporttest.Sample, Published: reporttest.LSTM}, []report.Kind{report.OtherData}},
		"own data":                   {reporttest.Run{Data: renamed, Published: reporttest.LSTM}, []report.Kind{report.OtherData}},
		"other reviews":              {reporttest.Run{Digests: map[string]string{"data": "0ther"}, Published: reporttest.LSTM}, []report.Kind{report.OtherData}},
		"limited":                    {reporttest.Run{Data: limited, Published: reporttest.LSTM, User: []string{"data.limit=1000"}}, []report.Kind{report.OtherData}},
		"other rate":                 {reporttest.Run{Published: reporttest.LSTM, User: []string{"lr=0.1"}}, []report.Kind{report.OtherSettings}},
		"rate of the row":            {reporttest.Run{Published: reporttest.LSTM, Set: []string{"lr=0.1"}}, nil},
		"shorter and other":          {reporttest.Run{Published: reporttest.LSTM, User: []string{"lr=0.1", "epochs=1"}}, []report.Kind{report.Shorter, report.OtherSettings}},
		"without a row":              {reporttest.Run{}, []report.Kind{report.Missing}},
		"diverged too early":         {reporttest.Run{Published: reporttest.LSTM, Epochs: 1, Diverged: "loss NaN"}, []report.Kind{report.Shorter, report.Diverged}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Name, c.Variant = "tme9-lstm", "default"
			rep := reporttest.Build(t, c.New(t))
			require.Len(t, rep.Blocks, 1)
			require.Len(t, rep.Blocks[0].Rows, 1)
			row := rep.Blocks[0].Rows[0]
			assert.Equal(t, c.want, kinds(row.Notes))
			cell := row.Cells["default"]
			if c.want == nil {
				require.NotNil(t, row.Published)
				assert.InDelta(t, 82.5-82.99, cell.Difference, 1e-9)
			} else {
				assert.Nil(t, row.Published)
				assert.True(t, math.IsNaN(cell.Difference))
			}
		})
	}
}

// What the experiment itself leaves out is said, and compared.
func TestPublishedBesideAShortenedExperiment(t *testing.T) {
	own := reporttest.Run{Name: "tme9-lstm", Published: reporttest.LSTM, Set: []string{"epochs=3", "data.max_len=512"}}
	row := reporttest.Build(t, own.New(t)).Blocks[0].Rows[0]
	require.NotNil(t, row.Published)
	assert.Equal(t, []report.Note{
		{Kind: report.Shorter, Text: "3 epochs, the published row has 4"},
		{Kind: report.Cut, Text: "reviews after 512 words; the published row has all"},
	}, row.Cells["default"].Notes)

	own.User = []string{"data.max_len=512"}
	row = reporttest.Build(t, own.New(t)).Blocks[0].Rows[0]
	assert.Nil(t, row.Published, "cut by the user")
}

func TestVariantsShareARow(t *testing.T) {
	slips := []string{"slip.whitespace=true", "slip.drop_last=true"}
	rep := reporttest.Build(t,
		reporttest.Run{Name: "tme9-lstm", Published: reporttest.LSTM, User: []string{"epochs=3"}}.New(t),
		reporttest.Run{Name: "tme9-lstm", Variant: "original", Published: reporttest.LSTM, Set: slips}.New(t),
		reporttest.Run{Name: "tme9-lstm", Published: reporttest.LSTM}.New(t))
	rows := rep.Blocks[0].Rows
	require.Len(t, rows, 2)
	assert.Equal(t, "tme9-lstm adam", rows[0].Label())
	assert.Len(t, rows[0].Cells, 2, "original and default of the same epochs")
	assert.Equal(t, "tme9-lstm adam epochs=3", rows[1].Label())
	assert.NotNil(t, rows[0].Published)
	assert.Equal(t, []report.Kind{report.Shorter}, kinds(rows[1].Notes))

	original := rows[0].Cells["original"].Runs[0]
	assert.Equal(t, 24960, original.Counted(), "the last partial batch was dropped")
	assert.Equal(t, 25000, rows[0].Cells["default"].Runs[0].Counted())
}

// A slip that a user sets, as for the ladder, leaves the row of the plain runs alone.
func TestOneSlipHasARowOfItsOwn(t *testing.T) {
	plain := reporttest.Run{Name: "tme9-lstm", Published: reporttest.LSTM}
	slip, again := plain, plain
	slip.User, again.User = []string{"slip.whitespace=true"}, []string{"slip.whitespace=false", "seed=2"}
	original := reporttest.Run{Name: "tme9-lstm", Variant: "original", Published: reporttest.LSTM, Set: []string{"slip.whitespace=true", "slip.drop_last=true"}}
	rows := reporttest.Build(t, slip.New(t), plain.New(t), original.New(t), again.New(t)).Blocks[0].Rows
	require.Len(t, rows, 2)
	assert.Equal(t, "tme9-lstm adam", rows[0].Label())
	assert.Len(t, rows[0].Cells, 2)
	assert.Len(t, rows[0].Cells["default"].Runs, 2, "with the one whose user said what goes without saying")
	assert.Equal(t, "tme9-lstm adam slip.whitespace=true", rows[1].Label())
	assert.Len(t, rows[1].Cells, 1)
}

func TestBlocksNeverMixData(t *testing.T) {
	other := map[string]string{"data": "0ther", "vectors": "5ec7025"}
	limited := reporttest.IMDB
	limited.Train.Reviews, limited.Test.Reviews = 2000, 2000
	rep := reporttest.Build(t,
		reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample}.New(t),
		reporttest.Run{Name: "tme9-mean", Digests: other}.New(t),
		reporttest.Run{Name: "tme9-mean", Data: limited, User: []string{"data.limit=1000"}}.New(t),
		reporttest.Run{Name: "tme9-mean"}.New(t))
	var titles []string
	for _, b := range rep.Blocks {
		titles = append(titles, b.Title)
		assert.Len(t, b.Rows, 1)
	}
	assert.Equal(t, []string{
		"IMDB: 25 000 training and 25 000 test reviews, data digest 26aab42d",
		"IMDB: 25 000 training and 25 000 test reviews, data digest 0ther",
		"IMDB, first 1000 reviews of each class: 2 000 training and 2 000 test reviews",
		"Embedded sample: 2 000 training and 1 000 test reviews",
	}, titles)
}

func TestSeedsAreAveragedAndNothingElse(t *testing.T) {
	base := reporttest.Run{Name: "tme9-simple"}
	with := func(m reporttest.Run, seed string, acc float64) reporttest.Run {
		m.Set, m.Test = append([]string{"seed=" + seed}, m.Set...), []float64{acc}
		return m
	}
	t.Run("seeds", func(t *testing.T) {
		rep := reporttest.Build(t, with(base, "10", 81).New(t), with(base, "2", 80).New(t), with(base, "1", 79).New(t))
		require.Len(t, rep.Blocks[0].Rows, 1)
		c := rep.Blocks[0].Rows[0].Cells["default"]
		assert.Equal(t, stats.Moments{N: 3, Mean: 80, SD: 1}, c.Stat("test_acc"))
		assert.Equal(t, "10", c.Runs[2].Config.Setting("seed"), "by value, not by text")
		i := c.Interval()
		assert.InDelta(t, 0.5, (i.High-i.Low)/2, 0.01, "of 25 000 reviews, not 75 000")
	})
	t.Run("repeated seed", func(t *testing.T) {
		// The same run in two runs folders.
		rep := reporttest.Build(t, with(base, "1", 79).New(t), with(base, "1", 79).New(t))
		require.Len(t, rep.Blocks[0].Rows, 2)
		for _, row := range rep.Blocks[0].Rows {
			assert.Equal(t, []report.Note{{Kind: report.Repeated, Text: "seed 1 occurs more than once"}}, row.Cells["default"].Notes)
		}
	})
	t.Run("the same folder named twice", func(t *testing.T) {
		r := with(base, "1", 79).New(t)
		assert.Len(t, reporttest.Build(t, r, r).Results(), 1)
	})
	t.Run("other vectors", func(t *testing.T) {
		other := with(base, "2", 80)
		other.Digests = map[string]string{"data": reporttest.IMDBDigest, "vectors": "0ther"}
		rep := reporttest.Build(t, with(base, "1", 79).New(t), other.New(t))
		require.Len(t, rep.Blocks[0].Rows, 2)
		assert.Equal(t, []report.Kind{report.Repeated}, kinds(rep.Blocks[0].Rows[1].Cells["default"].Notes))
	})
	t.Run("a setting that older runs do not have", func(t *testing.T) {
		without := func(r *runs.Run, key string) *runs.Run {
			r.Config.Settings = slices.DeleteFunc(r.Config.Settings, func(s runs.Value) bool { return s.Key == key })
			return r
		}
		older, newer := without(with(base, "1", 79).New(t), "clip"), with(base, "2", 81).New(t)
		rep := reporttest.Build(t, older, newer)
		require.Len(t, rep.Blocks[0].Rows, 1)
		assert.Len(t, rep.Blocks[0].Rows[0].Cells["default"].Runs, 2)
		assert.Len(t, report.BySetting([]*runs.Run{older, newer}), 1)
		assert.Empty(t, older.Config.Setting("clip"), "the run stays as it is")

		other := with(base, "3", 82)
		other.User = []string{"clip=1"}
		rep = reporttest.Build(t, older, other.New(t))
		assert.Len(t, rep.Blocks[0].Rows, 2, "no default is known: they may differ")
	})
	t.Run("random vectors follow from the seed", func(t *testing.T) {
		var list []*runs.Run
		for _, seed := range []string{"1", "2"} {
			m := with(base, seed, 80)
			m.Set = append(m.Set, "vectors=random")
			m.Digests = map[string]string{"data": reporttest.IMDBDigest, "vectors": "5eed" + seed}
			list = append(list, m.New(t))
		}
		rep := reporttest.Build(t, list...)
		require.Len(t, rep.Blocks[0].Rows, 1)
		assert.Len(t, rep.Blocks[0].Rows[0].Cells["default"].Runs, 2)
	})
	t.Run("unfinished and older", func(t *testing.T) {
		unfinished, older := with(base, "2", 80), with(base, "3", 80)
		unfinished.Unfinished, unfinished.Epochs = true, 2
		older.Older = true
		base := with(base, "1", 79)
		rep := reporttest.Build(t, unfinished.New(t), older.New(t), base.New(t))
		require.Len(t, rep.Blocks[0].Rows, 3)
		var notes [][]report.Kind
		for _, row := range rep.Blocks[0].Rows {
			notes = append(notes, kinds(row.Cells["default"].Notes))
		}
		assert.Equal(t, [][]report.Kind{nil, {report.Older}, {report.Unfinished}}, notes)
	})
}

func TestChosenEpochAndOracle(t *testing.T) {
	of := func(m reporttest.Run) *tables.Cell {
		list := []*runs.Run{m.New(t)}
		return reporttest.Build(t, list...).Blocks[0].Rows[0].Cells["default"]
	}
	last := of(reporttest.Run{Name: "tme9-lstm", Test: []float64{80, 84.6, 84, 83}})
	best := of(reporttest.Run{Name: "tme9-lstm", Test: []float64{80, 84.2, 84.6, 83}, Best: 2, User: []string{"select=best"}})
	assert.Equal(t, 4, last.Runs[0].Chosen.Epoch)
	assert.Equal(t, 84.6, last.Runs[0].Oracle.Get("test_acc"))
	assert.Equal(t, 2, best.Runs[0].Chosen.Epoch)
	assert.Equal(t, 84.2, best.Runs[0].Chosen.Get("test_acc"))
	assert.Equal(t, 84.6, best.Runs[0].Oracle.Get("test_acc"))
}

func TestDamagedRunIsShown(t *testing.T) {
	r := reporttest.Run{Name: "tme9-mean", NoEntropy: true}.New(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.Path, "metrics.jsonl"), []byte("{\"epoch\":1,\"test_acc\":70}\nrubbish\n"), 0o666))
	empty := reporttest.Run{Name: "tme9-simple", Unfinished: true}.New(t)
	rep := reporttest.Build(t, r, empty)
	require.Len(t, rep.Blocks[0].Rows, 2)
	assert.Contains(t, kinds(rep.Blocks[0].Rows[0].Cells["default"].Notes), report.Damaged)
	assert.Equal(t, []report.Note{{Kind: report.Unfinished, Text: "no epoch yet"}}, rep.Blocks[0].Rows[1].Cells["default"].Notes)
	for _, f := range figures.Smoothed(0).Of([]*runs.Run{r, empty}) {
		assert.NoError(t, f.Save(filepath.Join(t.TempDir(), "figure.svg")))
	}
}

// The published code stands in the row of the report, and is held against what it logged;
// old runs of both beside the numbers that are known now.
func TestPublishedCode(t *testing.T) {
	old := &runs.Published{Row: "self-attention, Adam", TrainAcc: 75.9, TestAcc: 74, TrainLoss: 0.539, TestLoss: 0.558, Epochs: 42, Source: "TME 10, figure 17"}
	run := func(variant, set string, test float64) *runs.Run {
		return reporttest.Run{Name: "tme10-self", Variant: variant, Set: []string{set}, Published: old, Test: []float64{test}}.New(t)
	}
	rep := reporttest.Build(t, run("original", "epochs=2", 76), run("code", "epochs=3", 77.73))
	row := rep.Blocks[0].Rows[0]
	assert.Equal(t, 75.9, row.Published.TestAcc)
	assert.InDelta(t, 0.1, row.Cells["original"].Difference, 1e-9)
	assert.InDelta(t, 0.03, row.Cells["code"].Difference, 1e-9)
	assert.Equal(t, []string{"original", "default", "code"}, rep.Blocks[0].Variants)
	texts := ""
	for _, n := range row.Cells["code"].Notes {
		texts += n.Text + "\n"
	}
	assert.Contains(t, texts, "Δ is to 77.70 after 20 epochs: TME 10, the authors' notebook (78.8 and 78.6 after 42)")
}

// A run that was tested at its end only shows no smoothed end of test and no last five epochs,
// and the keys say why; one that was tested after each has both.
func TestSmoothedOnlyOfTestedEpochs(t *testing.T) {
	shown := func(test ...float64) string {
		run := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Epochs: len(test), Set: []string{"epochs=6"}, Test: test}.New(t)
		rep := tables.Build([]*runs.Run{run}, tables.Options{Smooth: 0.5})
		var text bytes.Buffer
		require.NoError(t, rep.Text(&text, 0, false))
		return text.String()
	}
	none := math.NaN()
	text := shown(none, none, none, none, none, 80)
	assert.Contains(t, text, "; smoothed test numbers need a run tested after each epoch that weighs in them (test.tail); the mean of the last 5 needs each of these")
	assert.Regexp(t, `tme9-mean adam +default +0\.\d+ +[0-9.]+ +–\n`, text)
	assert.NotContains(t, text, "last 5 epochs")
	text = shown(80, 80, 80, 80, 80, 80)
	assert.NotContains(t, text, "smoothed test is")
	assert.Regexp(t, `tme9-mean adam +default +0\.\d+ +0\.\d+ +[0-9.]+ +80\.00 +80\.00\n`, text)
}
