package web_test

import (
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/cmd/exp/internal/web"
)

// A link restores the state it was made from, and nonsense in it does no harm.
func TestLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := url.Values{}
		for _, key := range []string{"q", "sort", "run", "other"} {
			for range rapid.IntRange(0, 12).Draw(t, "n") {
				q.Add(key, rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"-test_acc", "name", "a/b"})).Draw(t, key))
			}
		}
		once := web.Canonical(q)
		require.Equal(t, once, web.Canonical(once))
		require.LessOrEqual(t, len(once["run"]), web.MaxChosen)
		require.LessOrEqual(t, len(once.Get("q")), 200)
	})
	q := url.Values{"q": {"lstm sgd"}, "sort": {"-test_acc"}, "run": {"b/2", "a/1"}}
	assert.Equal(t, q, web.Canonical(q))
	assert.Empty(t, web.Canonical(url.Values{"sort": {"password"}}))
}

func TestFilterAndSort(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, "tme9-mean", "optimizer=sgd").finish(70, 74.5)
	begin(t, dir, "tme9-lstm", "seed=2").finish(80, 82)
	stopped := begin(t, dir, "tme9-lstm", "optimizer=sgd")
	stopped.epoch(60)
	require.NoError(t, stopped.Close())
	require.NoError(t, begin(t, dir, "tme9-simple").Close())
	s := start(t, dir)
	for _, c := range []struct {
		query string
		want  []string // tests' accuracies, "–" for none
	}{
		{"", []string{"–", "60.00", "82.00", "74.50"}}, // the newest first
		{"q=lstm", []string{"60.00", "82.00"}},
		{"q=SGD+lstm", []string{"60.00"}},
		{"q=unfinished", []string{"–", "60.00"}},
		{"q=nothing+like+it", nil},
		{"sort=test_acc", []string{"60.00", "74.50", "82.00", "–"}},
		{"sort=-test_acc", []string{"82.00", "74.50", "60.00", "–"}},
		{"sort=seed&q=finished", []string{"–", "60.00", "74.50", "82.00"}},
		{"sort=nothing", []string{"–", "60.00", "82.00", "74.50"}},
	} {
		var got []string
		for _, r := range s.Rows(c.query) {
			got = append(got, r.Cells[column(t, "test_acc")].Text)
		}
		assert.Equal(t, c.want, got, c.query)
	}
}

func column(t testing.TB, key string) int {
	i := slices.IndexFunc(web.Columns, func(c web.Column) bool { return c.Key == key })
	require.GreaterOrEqual(t, i, 0)
	return i
}

// Sorting is an order: without it, sorted tables would depend on where they began.
func TestCompareIsAnOrder(t *testing.T) {
	value := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Float64Range(-9, 9), func(v float64) any { return v }))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, down := value.Draw(t, "a"), value.Draw(t, "b"), value.Draw(t, "c"), rapid.Bool().Draw(t, "down")
		require.Equal(t, web.Compare(a, b, down), -web.Compare(b, a, down))
		if web.Compare(a, b, down) <= 0 && web.Compare(b, c, down) <= 0 {
			require.LessOrEqual(t, web.Compare(a, c, down), 0)
		}
		require.LessOrEqual(t, web.Compare(a, nil, down), 0, "what is missing comes last")
	})
}
