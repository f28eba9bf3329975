package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/runs"
)

// Runs that have their weights from runs of other settings or of another seed are of other
// settings; of their own seeds, they are seeds.
func TestBasesOfSeeds(t *testing.T) {
	dir := t.TempDir()
	add := func(name, seed string, set ...string) *runs.Run {
		return reporttest.Run{Name: name, Variant: "default", Set: set, User: []string{"seed=" + seed}, Data: reporttest.IMDB}.Add(t, dir)
	}
	imposed := func(seed string, base *runs.Run) *runs.Run {
		c, err := base.Citation()
		require.NoError(t, err)
		return add("tme9-values", seed, "attention=imposed", "attention.base="+c.String())
	}
	longer := reporttest.Run{Name: "tme9-lstm", Variant: "default", User: []string{"seed=2", "epochs=5"}, Data: reporttest.IMDB}.Add(t, dir)
	one, two := add("tme9-lstm", "1"), add("tme9-lstm", "2")
	list := []*runs.Run{imposed("1", one), imposed("2", two), imposed("2", longer), imposed("3", one)}

	groups := report.BySetting(list)
	require.Len(t, groups, 3)
	assert.Equal(t, list[:2], groups[0])

	var bases []string
	for _, g := range report.Grouped(report.ReadAll(list)) {
		base, _ := g[0].Config.Settings.Get("attention.base")
		bases = append(bases, base)
		assert.Equal(t, base == "tme9-lstm", len(g) == 2)
	}
	cited, err := one.Citation()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"tme9-lstm", "tme9-lstm[epochs=5]", cited.String()}, bases)
	own, _ := list[0].Config.Settings.Get("attention.base")
	assert.Equal(t, cited.String(), own, "a run's folder says what it said")
}
