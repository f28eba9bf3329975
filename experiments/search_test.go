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
			{ValidAcc: runs.Number(95), ValidMacroF1: runs.Number(49), ValidLoss: runs.Number(0.5)},
			{ValidAcc: runs.Number(90), ValidMacroF1: runs.Number(70), ValidLoss: runs.Number(0.4)},
			{ValidAcc: runs.Number(80), ValidMacroF1: runs.Number(60), ValidLoss: runs.Number(0.3)},
		} {
			run := &runs.Run{Config: runs.Config{Settings: runs.Values{{Key: "select.by", Value: by}}}}
			list = append(list, search.Standing{Trial: search.Trial{N: i + 1}, Run: run, Chosen: m})
		}
		search.Rank(list)
		require.Equal(t, first, list[0].Trial.N, by)
	}
}

func TestLogRangesInGrids(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a=log:1e-4..1e-1/4", "a=0.0001 a=0.001 a=0.01 a=0.1"},
		{"a=log:1e-4..1e-2/3,0.5", "a=0.0001 a=0.001 a=0.01 a=0.5"},
		{"a=log:16..256/5", "a=16 a=32 a=64 a=128 a=256"},
		{"a=log:1..4/10", "a=1 a=2 a=3 a=4"},
		{"a=log:0.1..0.3/3", "a=0.1 a=0.173 a=0.3"},
		{"a=log:1e-4..1e-1", "without /N it is an interval, for --search random"},
		{"a=log:1e-4..1e-1/1", "want log:LOW..HIGH/N"},
		{"a=log:1e-4..1e-1/x", "want log:LOW..HIGH/N"},
		{"a=log:1e-4..1e-1/1000000", "want log:LOW..HIGH/N"},
		{"a=log:0..1/3", "want numbers above 0"},
		{"a=log:1..0.1/3", "the first one smaller"},
		{"a=log:x..y/3", "want an interval"},
		{"a=log:", "want an interval"},
	} {
		grid, err := settings.Grid([]string{c.in})
		if err != nil {
			require.ErrorContains(t, err, c.want, c.in)
			continue
		}
		var all []string
		for _, g := range grid {
			all = append(all, g...)
		}
		require.Equal(t, c.want, strings.Join(all, " "))
	}
}

func TestParseRange(t *testing.T) {
	for _, c := range []struct {
		in   string
		want settings.Range
		err  string
	}{
		{"lr=log:1e-4..1e-1", settings.Range{Key: "lr", Lo: 1e-4, Hi: 0.1, Log: true}, ""},
		{"batch=log:16..256", settings.Range{Key: "batch", Lo: 16, Hi: 256, Log: true, Whole: true}, ""},
		{"dropout=0..0.5", settings.Range{Key: "dropout", Hi: 0.5}, ""},
		{"layers=1..4", settings.Range{Key: "layers", Lo: 1, Hi: 4, Whole: true}, ""},
		{"batch=16,32", settings.Range{Key: "batch", Values: []string{"16", "32"}}, ""},
		{"batch=1..2,8", settings.Range{Key: "batch", Values: []string{"1", "2", "8"}}, ""},
		{"value.activation=none", settings.Range{Key: "value.activation", Values: []string{"none"}}, ""},
		{"vectors=../x", settings.Range{Key: "vectors", Values: []string{"../x"}}, ""},
		{"lr=0.5..0.1", settings.Range{}, "the first one smaller"},
		{"lr=log:-1..1", settings.Range{}, "want numbers above 0"},
		{"lr=log:5", settings.Range{}, "want an interval"},
		{"lr=-1e308..1e308", settings.Range{}, "want an interval"},
		{"lr=NaN..1", settings.Range{}, "want an interval"},
		{"lr", settings.Range{}, "key=value"},
	} {
		got, err := settings.ParseRange(c.in)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.in)
			continue
		}
		require.NoError(t, err, c.in)
		require.Equal(t, c.want, got, c.in)
	}
}

// The setting decides whether numbers are whole, not how the ends of the interval are
// written.
func TestRangeOf(t *testing.T) {
	var v struct {
		Lambda float64 `key:"lambda"`
		Layers int     `key:"layers"`
		Seed   uint64  `key:"seed"`
	}
	set := must.Get(settings.New(&v))(t)
	for _, c := range []struct{ in, drawn, err string }{
		{"lambda=0..1", "0.4", ""},
		{"lambda=log:1..10", "1.4", ""},
		{"layers=1..4", "1", ""},
		{"layers=1.0..4e0", "1", ""},
		{"seed=1..4", "1", ""},
		{"layers=0.5..4", "", "layers=0.5..4: the setting is a whole number, so both ends must be"},
		{"layers=2,3", "", ""},
	} {
		r := must.Get(settings.ParseRange(c.in))(t)
		s, ok := set.Get(r.Key)
		require.True(t, ok)
		of, err := r.Of(s)
		switch {
		case c.err != "":
			require.ErrorContains(t, err, c.err)
		case r.Values != nil:
			require.Equal(t, r, of)
		default:
			require.NoError(t, err)
			require.Equal(t, c.drawn, of.Text(of.Lo+0.4), c.in)
		}
	}
}

func FuzzParseRange(f *testing.F) {
	for _, s := range []string{"lr=log:1e-4..1e-1", "a=1..2,3", "x=0..0.5", "log:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := settings.ParseRange(in)
		if err == nil && r.Values == nil {
			require.Less(t, r.Lo, r.Hi)
			require.NotEmpty(t, r.Text((r.Lo+r.Hi)/2))
		}
	})
}
