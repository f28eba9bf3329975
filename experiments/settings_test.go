package experiments_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
)

type outer struct {
	Inner
	N int `key:"n" default:"3"`
}

// Inner is embedded in outer.
type Inner struct {
	Rate float64 `key:"rate" default:"1e-3"`
}

type flat struct {
	Rate  float64 `key:"rate" default:"1e-3" min:"0" max:"1"`
	N     int     `key:"n" default:"3" min:"1"`
	Seed  uint64  `key:"seed"`
	On    bool    `key:"on"`
	Kind  string  `key:"kind" default:"adam" choices:"adam|sgd"`
	Title string  `key:"title" digest:"-"`
}

func TestDefaults(t *testing.T) {
	var v flat
	set := must.Get(settings.New(&v))(t)
	require.Equal(t, flat{Rate: 0.001, N: 3, Kind: "adam"}, v)
	keys := ""
	for _, s := range set.All() {
		require.False(t, s.Changed())
		require.Equal(t, "default", s.From)
		keys += s.Key + " "
	}
	require.Equal(t, "rate n seed on kind title ", keys)
}

func TestPut(t *testing.T) {
	var v flat
	set := must.Get(settings.New(&v))(t)
	for _, c := range []struct{ put, want string }{ // want: canonical value, or the error
		{"rate=1E-2", "0.01"},
		{"rate=.5", "0.5"},
		{"rate=-0", "0"},
		{"n=+7", "7"},
		{"on=T", "true"},
		{"on=0", "false"},
		{"kind=sgd", "sgd"},
		{"seed=18446744073709551615", "18446744073709551615"},
		{"rate=-1", "want 0 or more"},
		{"rate=1.5", "want 1 or less"},
		{"rate=NaN", "want a number"},
		{"rate=1e999", "want a number"},
		{"n=0", "want 1 or more"},
		{"n=1.5", "want a whole number"},
		{"seed=-1", "want a whole number, 0 or more"},
		{"on=maybe", "want true or false"},
		{"kind=adm", "use one of adam, sgd (did you mean adam?)"},
		{"rat=1", `unknown setting "rat" (did you mean rate?)`},
		{"zzzzzzzz=1", `unknown setting "zzzzzzzz"`},
		{"rate", "is not of the form key=value"},
		{"=1", "is not of the form key=value"},
	} {
		before := v
		err := set.Apply("command line", c.put)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			require.Equal(t, before, v, "an error changes nothing")
			continue
		}
		key, _, _ := strings.Cut(c.put, "=")
		s, ok := set.Get(key)
		require.True(t, ok)
		require.Equal(t, c.want, s.Value)
		require.Equal(t, "command line", s.From)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{&[]struct {
			A int `key:"a" default:"x"`
		}{{}}[0], "want a whole number"},
		{&struct {
			A []int `key:"a"`
		}{}, "unsupported type slice"},
		{&struct {
			A int `key:"a"`
			B int `key:"a"`
		}{}, "declared twice"},
	} {
		require.ErrorContains(t, must.Fail(settings.New(c.of)), c.want)
	}
}

func TestEmbedded(t *testing.T) {
	var v outer
	set := must.Get(settings.New(&v))(t)
	require.NoError(t, set.Apply("test", "rate=0.5", "n=4"))
	require.Equal(t, outer{Inner{0.5}, 4}, v)
}

func TestDigest(t *testing.T) {
	digest := func(structs []any, facts []string, except []string, put ...string) string {
		set := must.Get(settings.New(structs...))(t)
		require.NoError(t, set.Apply("test", put...))
		return settings.Digest(set.All(), facts, except...)
	}
	one := func(put ...string) string { return digest([]any{new(flat)}, nil, nil, put...) }
	base := one()
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", base, "the SHA-256 of nothing")
	require.Equal(t, base, one("n=4", "n=3"), "back at its default")
	require.Equal(t, base, one("rate=0.0010"))
	require.Equal(t, base, one("title=x"), "a label")
	require.Equal(t, one("n=4", "on=1"), one("on=true", "n=4"), "in any order")
	require.NotEqual(t, base, one("n=4"))
	require.Equal(t, base, digest([]any{new(flat)}, nil, []string{"n"}, "n=4"))
	require.NotEqual(t, base, digest([]any{new(flat)}, []string{"fact"}, nil))
	more := &struct {
		New bool `key:"new"`
	}{}
	require.Equal(t, one("n=4"), digest([]any{new(flat), more}, nil, nil, "n=4"), "a new setting at its default")
	require.NotEqual(t, one("n=4"), digest([]any{new(flat), more}, nil, nil, "n=4", "new=1"))
}

// A digest names a run's folder for good: its form must never change.
func TestDigestIsForGood(t *testing.T) {
	set := must.Get(settings.New(new(flat)))(t)
	require.NoError(t, set.Apply("test", "rate=.5", "n=4"))
	// printf '"n=4"\n"rate=0.5"\n"data \\"x\\""\n' | sha256sum
	require.Equal(t, "dea86e726c96d6251c117646ced0d23fdd5ff3e067dc1a01c0ce3e800f024d8b", settings.Digest(set.All(), []string{`data "x"`}))
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string // combinations, or the error
	}{
		{nil, ""},
		{[]string{"a=1"}, "a=1"},
		{[]string{"a=1,2", "b=x"}, "a=1 b=x; a=2 b=x"},
		{[]string{"a=1,2", "b=3..5"}, "a=1 b=3; a=1 b=4; a=1 b=5; a=2 b=3; a=2 b=4; a=2 b=5"},
		{[]string{"a=1..2,7"}, "a=1; a=2; a=7"},
		{[]string{"a=-2..-1"}, "a=-2; a=-1"},
		{[]string{"init=run[a=1,b=2],other"}, "init=run[a=1,b=2]; init=other"},
		{[]string{"f=../x"}, "f=../x"},
		{[]string{"a=9223372036854775806..9223372036854775807"}, "a=9223372036854775806; a=9223372036854775807"},
		{[]string{"a=2..1"}, "want a range"},
		{[]string{"a=1..1000000"}, "want a range"},
		{[]string{"a=-9223372036854775808..9223372036854775807"}, "want a range"},
		{[]string{"a=1..1000", "b=1..1000"}, "more than 10000 runs"},
		{[]string{"a"}, "key=value"},
	} {
		grid, err := settings.Grid(c.in)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		var all []string
		for _, g := range grid {
			all = append(all, strings.Join(g, " "))
		}
		require.Equal(t, c.want, strings.Join(all, "; "))
	}
}

func TestRunSettings(t *testing.T) {
	var run settings.Run
	set := must.Get(settings.New(&run))(t)
	require.Equal(t, "ptb", run.Tokenizer())
	require.Equal(t, "mean", run.Unknown())
	require.False(t, run.Holds())
	require.NoError(t, set.Apply("test", "slip.whitespace=true", "slip.oov_masked=true", "select=best"))
	require.Equal(t, "whitespace", run.Tokenizer())
	require.Equal(t, "masked", run.Unknown())
	require.True(t, run.Holds())
	require.NoError(t, set.Apply("test", "slip.choose_on_test=true"))
	require.False(t, run.Holds())
	for _, s := range set.All() {
		require.NotEmpty(t, s.Help, s.Key)
	}
}

func FuzzPut(f *testing.F) {
	f.Add("rate=1e-3")
	f.Add("n=4")
	f.Fuzz(func(t *testing.T, a string) {
		var v flat
		set := must.Get(settings.New(&v))(t)
		if set.Apply("fuzz", a) != nil {
			return
		}
		key, _, _ := strings.Cut(a, "=")
		s, ok := set.Get(key)
		require.True(t, ok)
		require.NoError(t, set.Put(key, s.Value, "again"))
		again, _ := set.Get(key)
		require.Equal(t, s.Value, again.Value)
	})
}

func TestIdle(t *testing.T) {
	for _, c := range []struct {
		set               []string
		key, under, needs string
	}{
		{nil, "schedule.factor", "schedule=constant", "schedule=step"},
		{[]string{"schedule=step"}, "schedule.factor", "", ""},
		{[]string{"optimizer=sgd"}, "adam.beta1", "optimizer=sgd", "optimizer=adam or adamw"},
		{[]string{"optimizer=adamw"}, "adam.beta1", "", ""},
		{nil, "data.valid", "select=last and patience=0", "select=best, or patience other than 0"},
		{[]string{"patience=2"}, "data.valid", "", ""},
		{nil, "lr", "", ""},
		{nil, "nosuch", "", ""},
	} {
		set := must.Get(settings.New(&settings.Run{}))(t)
		require.NoError(t, set.Apply("test", c.set...))
		under, needs, idle := set.Idle(c.key)
		require.Equal(t, []string{c.under, c.needs}, []string{under, needs}, "%v %s", c.set, c.key)
		require.Equal(t, c.under != "", idle)
	}
}

func TestDecimalComma(t *testing.T) {
	for _, bad := range []string{"lr=0,01", "dropout=0,05", "lr=0,001,0,0001", "lr=0.1,0,01"} {
		require.ErrorContains(t, must.Fail(settings.Grid([]string{bad})), "for a number", bad)
	}
	require.EqualError(t, must.Fail(settings.Grid([]string{"lr=0,01"})), "lr=0,01 is a list: write lr=0.01 for a number, and a list without leading zeros")
	for _, good := range []string{"lambda=0,1", "seed=01,02", "seed=1,2,10", "lr=0.1,0.01", "batch=16,032x", "layers=1,0", "data=2024,my-01", "lr=1e-1,1e-02", "lambda=0,0.01"} {
		_, err := settings.Grid([]string{good})
		require.NoError(t, err, good)
	}
}

func TestNearestPart(t *testing.T) {
	known := []string{"tme9-lstm-last", "tme9-lstm", "tme9-mean", "batch", "schedule.factor"}
	for name, want := range map[string]string{
		"lstm": "tme9-lstm", "TME9-Mean": "tme9-mean", "batch_size": "batch", "factor": "schedule.factor", "tme9-lsmt": "tme9-lstm", "zebra": "",
	} {
		if want != "" {
			want = " (did you mean " + want + "?)"
		}
		require.Equal(t, want, settings.Nearest(name, known), name)
	}
}

// The closed forms agree with counting epochs one by one.
func TestEpochsTested(t *testing.T) {
	draw := func(t *rapid.T) *settings.Training {
		return &settings.Training{Epochs: rapid.IntRange(1, 12).Draw(t, "epochs"), Every: rapid.IntRange(1, 6).Draw(t, "every"),
			Tail: rapid.IntRange(0, 14).Draw(t, "tail"), Test: rapid.SampledFrom([]string{"each", "last"}).Draw(t, "test")}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, until := draw(t), draw(t), rapid.IntRange(0, 12).Draw(t, "until")
		n, alike := 0, true
		for e := 1; e <= until; e++ {
			if a.Tests(e) {
				n++
			}
			alike = alike && a.Tests(e) == b.Tests(e)
		}
		require.Equal(t, n, a.TestsUntil(until))
		require.Equal(t, alike, a.TestsAlike(b, until))
	})
}

func TestTwice(t *testing.T) {
	require.NoError(t, settings.Twice([]string{"tme9-lstm", "lr=0.1", "seed=1,2", "a=b/c.yaml", "./a=b/d.yaml", "./a=b/d.yaml"}))
	require.EqualError(t, settings.Twice([]string{"lr=0.1", "seed=1", "lr=0.2"}), "lr is given twice, lr=0.1 and lr=0.2: leave one out; a grid of both is lr=0.1,0.2")
	require.EqualError(t, settings.Twice([]string{"lr=0.1", "lr=0.1"}), "lr=0.1 occurs twice: leave one out")
}
