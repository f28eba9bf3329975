package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	exhibit "imdbexp/cmd/exp/internal/report"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/runs"
)

// configs returns what the runs of these words would keep, on a machine where
// data=auto means IMDB.
func configs(t *testing.T, words ...string) []*runs.Config {
	t.Helper()
	plans := must.Get(plan.Resolve(t.Context(), words, "imdb"))(t)
	var out []*runs.Config
	for _, p := range plans {
		digests := map[string]string{"data": "da7a", "vectors": "5ec7"}
		c := runs.NewConfig(p.Experiment.Name, p.Experiment.Model, 1, p.Set, digests)
		out = append(out, &c)
	}
	return out
}

// The commands on the page train the same runs again, even if data=auto has
// another meaning.
func TestRepeatCommand(t *testing.T) {
	var lines [][]string
	for _, e := range experiments.All() {
		for _, variant := range []string{"default", "original"} {
			for _, data := range []string{"data=imdb", "data=sample", "data=own"} {
				lines = append(lines, []string{e.Name, "variant=" + variant, data})
			}
		}
		for _, r := range e.Rows {
			lines = append(lines, []string{e.Name, "optimizer=" + r.Optimizer, "variant=original"})
		}
	}
	lines = append(lines,
		[]string{"tme9-lstm", "lr=0.5", "select=best", "patience=5", "seed=1..5"},
		[]string{"tme9-lstm", "variant=original", "tokens=ptb", "seed=3"},
		[]string{"tme9-simple", "vectors=own", "seed=1,7"},
		[]string{"tme9-simple", "variant=original", "slip.whitespace=false"})
	for _, words := range lines {
		want := configs(t, words...)
		line := exhibit.Command(want)
		again, ok := strings.CutPrefix(line, "exp run ")
		require.True(t, ok, "%v: %q", words, line)
		plans, err := plan.Resolve(t.Context(), strings.Fields(again), "sample")
		require.NoError(t, err, again)
		require.Len(t, plans, len(want), again)
		got := configs(t, strings.Fields(again)...)
		for i := range want {
			assert.Equal(t, want[i].ID, got[i].ID, again)
			assert.Equal(t, want[i].Settings, got[i].Settings, again)
		}
	}
}

func TestRepeatCommandIsShort(t *testing.T) {
	for want, words := range map[string][]string{
		"exp run tme9-lstm data=imdb":                            {"tme9-lstm", "optimizer=adam"},
		"exp run tme9-lstm data=imdb optimizer=sgd":              {"tme9-lstm", "optimizer=sgd", "epochs=100"},
		"exp run tme9-mean data=imdb variant=original seed=2":    {"tme9-mean", "variant=original", "seed=2"},
		"exp run tme9-lstm data=imdb variant=original seed=1..3": {"tme9-lstm", "variant=original", "seed=1..3"},
		"exp run tme9-lstm data=imdb lr=0.5 seed=1,3":            {"tme9-lstm", "lr=0.5", "seed=1,3"},
	} {
		assert.Equal(t, want, exhibit.Command(configs(t, words...)))
	}
}

func TestRepeatCommandOfUnknownRuns(t *testing.T) {
	unknown := *configs(t, "tme9-mean")[0]
	unknown.Name = "mine"
	assert.Empty(t, exhibit.Command([]*runs.Config{&unknown}))
	newer := *configs(t, "tme9-mean")[0]
	newer.Settings = append(newer.Settings[:len(newer.Settings):len(newer.Settings)], runs.Value{Key: "new", Value: "1"})
	newer.Digest = fmt.Sprintf("%064d", 1) // the setting is part of it
	assert.Empty(t, exhibit.Command([]*runs.Config{&newer}), "words would make another run")
}

func TestExplainedSettings(t *testing.T) {
	got := map[string]string{}
	for _, s := range exhibit.Settings(configs(t, "tme9-lstm", "variant=original", "optimizer=sgd", "clip=1")[0]) {
		got[s.Key] = s.Default + " → " + s.Value + ", " + s.From
		assert.NotEmpty(t, s.Help, s.Key)
	}
	assert.Equal(t, "0 → 1, command line", got["clip"])
	assert.Equal(t, "10 → 100, optimizer=sgd", got["epochs"])
	assert.Equal(t, "false → true, variant=original", got["slip.drop_last"])
	assert.Equal(t, "auto → glove50, the data", got["vectors"])
	assert.NotContains(t, got, "batch", "at its default")
}

// The commands for a claim train on IMDB even if only the sample is available.
func TestClaimsCommand(t *testing.T) {
	t.Setenv("EXP_DATA", t.TempDir()) // nothing is installed
	t.Chdir(t.TempDir())
	lstm := reporttest.Run{Name: "tme9-lstm", Set: []string{"optimizer=adam"}, User: []string{"epochs=4", "test=last"}}.Add(t, "runs")
	lines := strings.FieldsFunc(ok(t, "report", "--claims", "--format", "csv"), func(c rune) bool { return strings.ContainsRune("\n,\"", c) })
	for _, want := range []string{
		"run nbsvm data=imdb data.exclude=minimal",
		"run tme9-mean data=imdb optimizer=adam",
		"run tme9-values data=imdb optimizer=adam value.activation=tanh attention=imposed 'attention.base=additive[data=imdb]'",
		"run tme10-self data=imdb optimizer=adam 'init=mlm-self[data=imdb]'",
		"explain " + lstm.Config.ShortID() + " --tests retrained --out explained",
	} {
		require.Contains(t, lines, cli.CommandLine()+" "+want)
	}
}
