package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

// Every experiment and every model can be shown in 60 columns.
func TestShowFits(t *testing.T) {
	_, flags := folders(t)
	names := models.Names()
	for _, e := range experiments.All() {
		names = append(names, e.Name)
	}
	for _, name := range names {
		var out output
		require.Equal(t, exitOK, call(t.Context(), &out, 60, true, append([]string{"show", name}, flags...)...), out.String())
		require.Contains(t, out.String(), "what to look for")
		require.Contains(t, out.String(), "▼")
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "exp ") { // commands stay whole
				continue
			}
			require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, "%s: %s", name, line)
		}
	}
}

// drawnRun is a run as far as its drawing needs it.
func drawnRun(t *testing.T, name, model, id string, put ...string) *runs.Run {
	t.Helper()
	info, err := models.Lookup(model)
	require.NoError(t, err)
	set, err := settings.New(&settings.Run{}, info.New())
	require.NoError(t, err)
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
	got := new(app).drawings(list)
	require.Equal(t, []string{
		"A query for each review and learned values (tme9-entropy)",
		"Attention over the states of an LSTM (tme9-lstm)",
		"Attention over the states of an LSTM (tme9-lstm, run 8)",
		"Attention with a query for each review (tme9-query variant=original)",
		"Attention with a query for each review (tme9-query)",
		"Figure 1: Uniform mean of the word vectors (tme9-mean)",
		"Figure 6: A query for each review and learned values (tme9-values)",
		wantedTitle,
	}, slices.Sorted(maps.Keys(got)))
	for title, svg := range got {
		require.True(t, strings.HasPrefix(svg, "<svg ") && strings.HasSuffix(svg, "</svg>\n"), title)
	}
	require.Empty(t, new(app).drawings(nil))
}

// A run of a model that this program does not know is shown as far as it goes.
func TestShowUnknownModel(t *testing.T) {
	dir, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=1")...))
	configs, err := filepath.Glob(filepath.Join(dir, "*", "*", "config.yaml"))
	require.NoError(t, err)
	text, err := os.ReadFile(configs[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(configs[0], []byte(strings.Replace(string(text), "model: lstm", "model: rnn", 1)), 0o600))

	out = output{}
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append(flags, "show", filepath.Dir(configs[0]))...), out.String())
	require.Contains(t, out.String(), "does not know the model rnn")
	require.Contains(t, out.String(), "\nsettings\n")
	require.Equal(t, exitFailed, call(t.Context(), &out, 0, false, append(flags, "show", filepath.Dir(configs[0]), "--svg", "-")...))
	require.Contains(t, out.String(), "cannot be drawn")
}
