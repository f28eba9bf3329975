package experiments_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
)

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

// What is written of a number lies in the interval or, rounded to three digits, next
// to its ends, and can be read again.
func TestRangeText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(1e-6, 1).Draw(t, "lo")
		hi := lo * rapid.Float64Range(1.5, 1e4).Draw(t, "factor")
		r := settings.Range{Key: "x", Lo: lo, Hi: hi}
		var v struct {
			X float64 `key:"x"`
		}
		set := must.Get(settings.New(&v))(t)
		x := rapid.Float64Range(lo/2, hi*2).Draw(t, "x")
		require.NoError(t, set.Put("x", r.Text(x), "test"))
		require.InEpsilon(t, min(max(x, lo), hi), v.X, 0.006)
	})
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
