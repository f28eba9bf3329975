package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/show"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
	"imdbexp/runs"
)

// drawnRun is a run as far as its drawing needs it.
func drawnRun(t *testing.T, name, model, id string, put ...string) *runs.Run {
	t.Helper()
	info := must.Get(models.Lookup(model))(t)
	set := must.Get(settings.New(&settings.Run{}, info.New()))(t)
	require.NoError(t, set.Apply("test", put...))
	c := runs.NewConfig(name, model, 1, set, nil)
	c.ID = id
	return &runs.Run{Config: c}
}

func TestDrawings(t *testing.T) {
	list := []*runs.Run{
		drawnRun(t, "tme9-mean", "mean", "0", "variant=original"),
		drawnRun(t, "tme9-mean", "mean", "1"),
		drawnRun(t, "tme9-mean", "mean", "2", "seed=2"),
		drawnRun(t, "tme9-query", "query", "3"),
		drawnRun(t, "tme9-query", "query", "4", "variant=original", "slip.relu_logits=true"),
		drawnRun(t, "tme9-values", "values", "5"),
		drawnRun(t, "tme9-entropy", "values", "6", "lambda=0.064"),
		drawnRun(t, "tme9-lstm", "lstm", "7"),
		drawnRun(t, "tme9-lstm", "lstm", "8", "value.activation=relu"),
		{Config: runs.Config{Name: "gone", Model: "gone"}},
	}
	const wanted = "Section 1.5: the attention wanted, neither uniform nor on one word"
	got := show.Drawings(list)
	require.Equal(t, []string{
		"A query for each review and learned values (tme9-entropy)",
		"Attention over the states of an LSTM (tme9-lstm)",
		"Attention over the states of an LSTM (tme9-lstm, run 8)",
		"Attention with a query for each review (tme9-query)",
		"Attention with a query for each review (tme9-query, run 4)",
		"Figure 1: Uniform mean of the word vectors (tme9-mean)",
		"Figure 6: A query for each review and learned values (tme9-values)",
		wanted,
	}, slices.Sorted(maps.Keys(got)))
	for title, d := range got {
		require.True(t, strings.HasPrefix(d.SVG, "<svg ") && strings.HasSuffix(d.SVG, "</svg>\n"), title)
		require.Equal(t, title != wanted, d.Watch != "", "what to look for in %s", title)
	}
	require.Empty(t, show.Drawings(nil))
}
