package experiments_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/search"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func drawn(t *testing.T, words ...string) *search.Search {
	s := must.Get(search.New(words, "sample"))(t)
	s.Trials = 50
	return s
}

func TestSearchDraws(t *testing.T) {
	s := drawn(t, "tme9-lstm", "lr=log:1e-4..1e-1", "batch=16,32,64", "dropout=0..0.5", "lstm.hidden=log:10..200", "epochs=3")
	all := s.All()
	require.Len(t, all, 50)
	low := 0
	for i, trial := range all {
		require.Equal(t, i+1, trial.N)
		p := must.Get(s.Plan(t.Context(), trial, 0))(t)
		require.True(t, p.Run.Holds())
		require.Equal(t, "never", p.Run.Test)
		require.Equal(t, 3, p.Run.Epochs)
		require.GreaterOrEqual(t, p.Run.LR, 1e-4)
		require.LessOrEqual(t, p.Run.LR, 0.1)
		require.Contains(t, []int{16, 32, 64}, p.Run.Batch)
		hidden, _ := p.Set.Get("lstm.hidden")
		h := must.Get(strconv.Atoi(hidden.Value))(t)
		require.True(t, h >= 10 && h <= 200, h)
		if p.Run.LR < 3.2e-3 { // the middle of the logarithms
			low++
		}
	}
	require.InDelta(t, 25, low, 10)

	s.Trials = 10
	require.Equal(t, all[:10], s.All(), "the first ones do not depend on how many follow")
}

// The draws of a seed are for good: a search that goes on has to meet its runs.
func TestSearchDrawsAreForGood(t *testing.T) {
	s := drawn(t, "tme9-lstm", "lr=log:1e-4..1e-1", "batch=16,32,64", "dropout=0..0.5")
	s.Trials = 3
	var got []string
	for _, trial := range s.All() {
		got = append(got, strings.Join(trial.Assignments, " "))
	}
	require.Equal(t, []string{
		"lr=0.00286 batch=16 dropout=0.0112",
		"lr=0.0238 batch=32 dropout=0.241",
		"lr=0.000143 batch=32 dropout=0.43",
	}, got)
}

func TestRungs(t *testing.T) {
	for _, c := range []struct {
		trials, epochs, halving int
		want                    [][2]int
	}{
		{40, 42, 0, [][2]int{{40, 0}}},
		{40, 42, 3, [][2]int{{40, 1}, {13, 4}, {4, 14}, {1, 42}}},
		{40, 10, 3, [][2]int{{40, 1}, {13, 3}, {4, 10}}},
		{8, 100, 2, [][2]int{{8, 12}, {4, 25}, {2, 50}, {1, 100}}},
		{2, 100, 3, [][2]int{{2, 100}}},
		{9, 1, 3, [][2]int{{9, 1}}},
		{1, 5, 2, [][2]int{{1, 5}}},
	} {
		s := &search.Search{Halving: c.halving}
		var got [][2]int
		for _, r := range s.Rungs(c.trials, c.epochs) {
			got = append(got, [2]int{r.Trials, r.Epochs})
		}
		require.Equal(t, c.want, got, "%+v", c)
	}
}

func TestRank(t *testing.T) {
	st := func(n, rung int, acc, loss float64, err error) search.Standing {
		return search.Standing{Trial: search.Trial{N: n}, Rung: rung, Epochs: 9 - n, Err: err, Chosen: runs.Metrics{ValidAcc: &acc, ValidLoss: &loss}}
	}
	list := []search.Standing{
		st(1, 1, 99, 0.1, nil), st(2, 3, 80, 0.5, nil), st(3, 3, 80, 0.4, nil), st(4, 9, 99, 0.1, errors.New("diverged")), st(5, 3, 85, 0.9, nil), st(6, 3, 80, 0.4, nil),
	}
	search.Rank(list)
	var order []int
	for _, s := range list {
		order = append(order, s.Trial.N)
	}
	require.Equal(t, []int{5, 3, 6, 2, 1, 4}, order)
}

// Trials are ranked by the score by which their epochs are chosen.
func TestRankBy(t *testing.T) {
	for by, first := range map[string]int{"auto": 2, "accuracy": 1, "macro_f1": 2, "loss": 3} {
		var list []search.Standing
		for i, m := range []runs.Metrics{
			{ValidAcc: new(95.0), ValidMacroF1: new(49.0), ValidLoss: new(0.5)},
			{ValidAcc: new(90.0), ValidMacroF1: new(70.0), ValidLoss: new(0.4)},
			{ValidAcc: new(80.0), ValidMacroF1: new(60.0), ValidLoss: new(0.3)},
		} {
			run := &runs.Run{Config: runs.Config{Settings: runs.Values{{Key: "select.by", Value: by}}}}
			list = append(list, search.Standing{Trial: search.Trial{N: i + 1}, Run: run, Chosen: m})
		}
		search.Rank(list)
		require.Equal(t, first, list[0].Trial.N, by)
	}
}

// Grids have no intervals.
func TestLogRangesInGrids(t *testing.T) {
	require.ErrorContains(t, must.Fail(settings.Grid([]string{"a=log:1e-4..1e-1"})), "is an interval for --search random")
}
