package compare_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report/compare"
	"imdbexp/report/internal/reporttest"
	"imdbexp/runs"
)

// Whoever compares is told every setting in which the sides differ, beside the verdict.
func TestSettingsThatDiffer(t *testing.T) {
	dir := t.TempDir()
	side := func(name, variant string, set ...string) compare.Side {
		r := reporttest.Run{Name: name, Variant: variant, Data: reporttest.IMDB, Epochs: 1, User: set,
			Predictions: reporttest.Predicted(40, func(i int) bool { return i%4 != 0 })}
		s, err := compare.ReadSide(name, []*runs.Run{r.Add(t, dir)})
		require.NoError(t, err)
		return s
	}
	mean := side("tme9-mean", "original", "optimizer=sgd")
	for want, other := range map[string]compare.Side{
		"From tme9-mean to tme9-simple differ: model mean → simple; variant original → default; clip 0 → 1; optimizer sgd → adam.": side("tme9-simple", "default", "clip=1"),
		"From tme9-mean to tme9-mean differ: seed 1 → 2.":                                     side("tme9-mean", "original", "optimizer=sgd", "seed=2"),
		"From tme9-mean to tme9-mean no setting differs.":                                     mean,
		"From tme9-mean to tme9-query differ: model mean → query; no setting that both have.": side("tme9-query", "original", "optimizer=sgd"),
	} {
		list, err := compare.Against(mean, other)
		require.NoError(t, err)
		for _, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return compare.Table(list).Text(b, 0, false) },
			func(b *bytes.Buffer) error { return compare.Table(list).Markdown(b) },
		} {
			var out bytes.Buffer
			require.NoError(t, write(&out))
			assert.Contains(t, out.String(), want)
		}
	}
	pair := mean
	pair.Answers = append(pair.Answers[:1:1], side("tme9-mean", "original", "optimizer=sgd", "seed=3").Answers...)
	adam := side("tme9-mean", "default")
	adam.Answers = append(adam.Answers[:1:1], side("tme9-mean", "default", "seed=3").Answers...)
	list, err := compare.Against(pair, adam)
	require.NoError(t, err)
	require.True(t, list[0].Paired)
	assert.Equal(t, []compare.Difference{{Key: "variant", First: "original", Second: "default"}, {Key: "optimizer", First: "sgd", Second: "adam"}}, list[0].Differ, "not the seeds")
	adam.Answers = adam.Answers[:1]
	list, err = compare.Against(mean, adam)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, compare.Table(list).CSV(&out))
	assert.Contains(t, out.String(), ",variant original → default; optimizer sgd → adam\n")
	another := reporttest.Side(t, "theirs", "++++")
	another.Answers[0].Data = ""
	list, err = compare.Against(another, another)
	require.NoError(t, err)
	assert.Empty(t, list[0].Differ)
	out.Reset()
	require.NoError(t, compare.Table(list).Text(&out, 0, false))
	assert.NotContains(t, out.String(), "From")
}
