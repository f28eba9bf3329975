package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
)

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
	_, err := settings.Grid([]string{"lr=0,01"})
	require.EqualError(t, err, "lr=0,01 is a list of 0 and 01: write lr=0.01 for a number, or lr=0,1 for a list")
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
