package report_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/models"
	"imdbexp/report"
	"imdbexp/report/leaderboard"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

func build(list ...*runs.Run) *leaderboard.Board {
	return leaderboard.Build(list, tables.Options{Order: reporttest.Order})
}

// held is IMDB with a tenth of train held out, drawn with the 1 000 of data.train=1000.
var held, drawn = reporttest.IMDB, reporttest.IMDB

func init() {
	held.Train.Reviews, held.Valid.Reviews = 22500, 2500
	drawn.Train.Reviews = 1000
}

// What a run learned from and what its epoch was chosen by decide where it stands.
func TestWhatWasSeen(t *testing.T) {
	const glove = "vectors=glove50"
	for name, c := range map[string]struct {
		reporttest.Run
		seen   leaderboard.Seen
		chosen string
		part   int
	}{
		"outside vectors":      {reporttest.Run{Set: []string{glove}}, leaderboard.Seen{Labels: 25000, Outside: "glove50"}, "", leaderboard.Outside},
		"vectors of one's own": {reporttest.Run{Set: []string{"vectors=w2v"}}, leaderboard.Seen{Labels: 25000, Outside: "w2v"}, "", leaderboard.Outside},
		"corpus":               {reporttest.Run{Set: []string{"vectors=corpus"}}, leaderboard.Seen{Labels: 25000, Unlabelled: 50000}, "", leaderboard.Alone},
		"few labels, all texts": {reporttest.Run{Data: drawn, Set: []string{"vectors=corpus"}, User: []string{"data.train=1000"}},
			leaderboard.Seen{Labels: 1000, Unlabelled: 74000}, "", leaderboard.Alone},
		"random vectors": {reporttest.Run{Set: []string{"vectors=random"}}, leaderboard.Seen{Labels: 25000}, "", leaderboard.Alone},
		"no vectors": {reporttest.Run{Set: []string{glove}, Digests: map[string]string{"data": reporttest.IMDBDigest}},
			leaderboard.Seen{Labels: 25000}, "", leaderboard.Alone},
		"chosen":          {reporttest.Run{Data: held, Set: []string{"vectors=random", "select=best"}, Best: 2}, leaderboard.Seen{Labels: 25000}, "validation", leaderboard.Alone},
		"stopped early":   {reporttest.Run{Data: held, Set: []string{"vectors=random", "patience=2"}, Best: 2}, leaderboard.Seen{Labels: 25000}, "validation", leaderboard.Alone},
		"chosen on test":  {reporttest.Run{Set: []string{"vectors=random", "select=best", "slip.choose_on_test=true"}, Best: 2}, leaderboard.Seen{Labels: 25000}, "test", leaderboard.Unranked},
		"inert slip":      {reporttest.Run{Set: []string{"vectors=random", "slip.choose_on_test=true"}}, leaderboard.Seen{Labels: 25000}, "", leaderboard.Alone},
		"not all of test": {reporttest.Run{Set: []string{"vectors=random", "slip.drop_last=true"}}, leaderboard.Seen{Labels: 25000}, "", leaderboard.Unranked},
	} {
		t.Run(name, func(t *testing.T) {
			c.Name = "tme9-mean"
			b := build(c.New(t))
			require.Len(t, b.Blocks, 1)
			require.True(t, b.Blocks[0].IMDB)
			row := ours(&b.Blocks[0])[0]
			assert.Equal(t, c.seen, row.Seen)
			assert.Equal(t, c.chosen, row.Chosen)
			assert.Equal(t, c.part, row.Part)
			assert.Equal(t, c.part != leaderboard.Unranked, row.Rank > 0)
		})
	}
}

// A run that began with a language model has learned from its texts, and the time of both counts.
func TestBeganWithALanguageModel(t *testing.T) {
	dir := t.TempDir()
	texts := runs.DataFacts{Name: "imdb", Kind: runs.TextsKind, Train: runs.Part{Reviews: 73500}, Test: runs.Part{Reviews: 1500}}
	before := reporttest.Run{Name: "lm-lstm", Data: texts, Set: []string{"vectors=random"}, Took: 600, Epochs: 3}.Add(t, dir)
	citation, err := before.Citation()
	require.NoError(t, err)
	after := reporttest.Run{Name: "tme9-lstm", Set: []string{"vectors=random"}, User: []string{"init=" + citation.String()}, Took: 50, Epochs: 4}
	row := ours(&build(after.Add(t, dir)).Blocks[0])[0]
	assert.Equal(t, leaderboard.Seen{Labels: 25000, Unlabelled: 50000}, row.Seen)
	assert.Equal(t, []float64{7, 650}, []float64{row.Seconds, row.Whole})

	row = ours(&build(after.Add(t, t.TempDir())).Blocks[0])[0] // without the language model
	assert.Equal(t, leaderboard.Seen{Labels: 25000, Unlabelled: -1}, row.Seen)
	assert.True(t, math.IsNaN(row.Seconds) && math.IsNaN(row.Whole))
}

// ours are the rows of runs.
func ours(b *leaderboard.Block) []leaderboard.Row {
	return slices.DeleteFunc(slices.Clone(b.Rows), func(r leaderboard.Row) bool { return r.Published != nil })
}

// Within its part a row stands before those that are less accurate; what was chosen by
// test, knew its texts or is doubted has no rank.
func TestRanks(t *testing.T) {
	b := &build(mixture(t)...).Blocks[0]
	part, rank, before := leaderboard.Alone, 0, math.Inf(1)
	for _, r := range b.Rows {
		require.GreaterOrEqual(t, r.Part, part, "the reviews of IMDB alone come first")
		if r.Part != part {
			part, rank, before = r.Part, 0, math.Inf(1)
		}
		require.LessOrEqual(t, r.Accuracy.Mean, before)
		switch {
		case part == leaderboard.Unranked:
			require.Zero(t, r.Rank)
			require.True(t, r.Chosen == "test" || r.Seen.TestTexts || len(r.Notes) > 0, "%s: nothing says why", r.Name)
		case r.Accuracy.Mean == before:
			require.Equal(t, rank, r.Rank)
		default:
			require.Greater(t, r.Rank, rank)
			rank = r.Rank
		}
		before = r.Accuracy.Mean
		if r.Part != leaderboard.Unranked {
			require.NotEqual(t, "test", r.Chosen)
			require.False(t, r.Seen.TestTexts)
			require.Equal(t, r.Part == leaderboard.Outside, r.Seen.Outside != "")
		}
	}
	require.Equal(t, leaderboard.Unranked, part)
	tied := ours(b)[:2]
	require.Equal(t, tied[0].Accuracy.Mean, tied[1].Accuracy.Mean)
	require.Equal(t, tied[0].Rank, tied[1].Rank)
}

// A mean over seeds that have learned nothing says so here as well.
func TestAtChance(t *testing.T) {
	b := build(reporttest.Run{Name: "tme9-mean", Test: []float64{50}, Unlearned: math.Ln2}.New(t))
	notes := ours(&b.Blocks[0])[0].Notes
	require.True(t, slices.ContainsFunc(notes, func(n report.Note) bool { return n.Kind == report.Unlearned }), "%v", notes)
}

// Weights are counted by their names and shapes: those of vectors and of n-grams apart.
func TestWeights(t *testing.T) {
	tensor := func(name string, shape ...int) runs.Tensor {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return runs.Tensor{Name: name, Shape: shape, Data: make([]float32, n)}
	}
	counting := reporttest.IMDB
	counting.Kind = runs.NgramsKind
	words := &runs.Table{Words: []string{"good", "bad"}, Rows: make([]float32, 9), Dim: 3, OOV: 2}
	for name, c := range map[string]struct {
		reporttest.Run
		want leaderboard.Weights
	}{
		"dense":                {reporttest.Run{Params: []runs.Tensor{tensor("W", 3, 2), tensor("b", 2)}}, leaderboard.Weights{Dense: 8}},
		"vectors from outside": {reporttest.Run{Params: []runs.Tensor{tensor("W", 3, 2)}, Set: []string{"vectors=glove50"}, Table: words}, leaderboard.Weights{Dense: 6}},
		"trained on the texts": {reporttest.Run{Params: []runs.Tensor{tensor("W", 3, 2)}, Set: []string{"vectors=corpus"}, Table: words}, leaderboard.Weights{Dense: 15, Vectors: 9}},
		"trained with the model": {reporttest.Run{Params: []runs.Tensor{tensor("W", 3, 2), tensor(models.VectorsWeight, 5, 3)}, Set: []string{"vectors=corpus", "vectors.train=true"}, Table: words},
			leaderboard.Weights{Dense: 21, Vectors: 15}},
		"n-grams": {reporttest.Run{Params: []runs.Tensor{tensor("W", 40, 1), tensor("b", 1, 1)}, Data: counting}, leaderboard.Weights{Dense: 1, Sparse: 40}},
		"n-grams beside a network": {reporttest.Run{Params: []runs.Tensor{tensor("W", 3, 2)}, Set: []string{"vectors=glove50", "wide=nbsvm"}, Table: words,
			States: []runs.Tensor{tensor("wide.W", 40, 1), tensor("wide.b", 1, 1), tensor("wide.train", 99)}},
			leaderboard.Weights{Dense: 7, Sparse: 40}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Name = "tme9-mean"
			assert.Equal(t, c.want, ours(&build(c.New(t)).Blocks[0])[0].Weights)
		})
	}
}

// On other reviews nothing is ranked and nothing published stands beside; what has no
// accuracy on test is left out with a reason.
func TestElsewhere(t *testing.T) {
	trial := reporttest.Run{Name: "tme9-lstm", User: []string{"select=best", "test=never"}, Best: 2}
	stopped := reporttest.Run{Name: "tme9-mean", Unfinished: true, Epochs: 1}
	list := append(reporttest.Translators(t)[:1], trial.New(t), stopped.New(t))
	b := build(list...)
	require.Empty(t, b.Blocks)
	require.NotEmpty(t, b.Empty())
	var kinds []report.Kind
	for _, n := range b.LeftOut {
		kinds = append(kinds, n.Kind)
	}
	require.Equal(t, []report.Kind{report.Unfinished, report.Untested, report.OtherData}, kinds)

	b = build(append(list, reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Set: []string{"vectors=corpus"}}.New(t))...)
	require.Len(t, b.Blocks, 1)
	require.Empty(t, b.Empty())
	require.Len(t, b.Blocks[0].Rows, 1, "nothing published")
	require.Zero(t, b.Blocks[0].Rows[0].Rank)
	text := reporttest.Text(t, b, 0)
	require.Contains(t, text, "Not ranked: reviews other than")
	require.Contains(t, text, "2 000, its texts")
}

// mixture holds settings of every part, two of them equally accurate.
func mixture(t *testing.T) []*runs.Run {
	var out []*runs.Run
	for _, m := range []reporttest.Run{
		{Name: "tme9-lstm", Set: []string{"vectors=corpus"}, Test: []float64{91.4}},
		{Name: "tme9-query", Set: []string{"vectors=random"}, Test: []float64{91.4}},
		{Name: "tme9-lstm", Set: []string{"vectors=glove50"}, Test: []float64{80, 86}},
		{Name: "tme9-lstm", Set: []string{"vectors=glove50", "seed=2"}, Test: []float64{80, 87}},
		{Name: "tme9-simple", Set: []string{"vectors=glove50", "select=best", "slip.choose_on_test=true"}, Best: 2, Test: []float64{80, 97, 70}},
		{Name: "tme9-values", Variant: "original", Set: []string{"vectors=glove50", "slip.drop_last=true"}, Test: []float64{80}},
	} {
		m.Data, m.Digests = reporttest.IMDB, map[string]string{"data": reporttest.IMDBDigest, "vectors": m.Set[0]}
		m.Took = 40 * float64(len(m.Test)-1) // unknown of some
		m.Params = []runs.Tensor{{Name: "W", Shape: []int{2, 50}, Data: make([]float32, 100)}}
		out = append(out, m.New(t))
	}
	return append(out, reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Set: []string{"vectors=corpus"}}.New(t))
}

func TestFormats(t *testing.T) {
	b := build(mixture(t)...)
	reporttest.Golden(t, "board-100.txt", reporttest.Text(t, b, 100))
	reporttest.Golden(t, "board-60.txt", reporttest.Text(t, b, 60))
	reporttest.Golden(t, "board.md", reporttest.Written(t, b.Markdown))
	require.Contains(t, reporttest.Written(t, b.LaTeX), `L\_MIXED`)
	lines := b.Records()
	rows := 0
	for _, block := range b.Blocks {
		rows += len(block.Rows)
	}
	require.Len(t, lines, 1+rows)
	column := func(name string) int { return slices.Index(lines[0], name) }
	for _, line := range lines[1:] {
		require.Equal(t, line[column("part")] == "unranked", line[column("rank")] == "", "%v", line)
		require.Equal(t, line[column("published")] == "true", line[column("seeds")] == "", "%v", line)
		require.NotEqual(t, line[column("published")] == "true", line[column("cite_as")] != "" && line[column("machine")] == "test, 2×avx2")
	}
}
