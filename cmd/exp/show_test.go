package main

import (
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
		require.Contains(t, out.String(), "▼")
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "exp ") { // commands stay whole
				continue
			}
			require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, "%s: %s", name, line)
		}
	}
}

// A run of a model that this program does not know is shown as far as it goes.
func TestShowUnknownModel(t *testing.T) {
	dir, flags := folders(t)
	set, err := settings.New(&settings.Run{})
	require.NoError(t, err)
	c := runs.NewConfig("rnn", "rnn", 1, set, nil)
	w, err := runs.Create(dir, c, runs.Environment{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	show := append(flags, "show", runs.Folder(dir, &c))

	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, show...), out.String())
	require.Contains(t, out.String(), "does not know the model rnn")
	require.Contains(t, out.String(), "\nsettings\n")
	require.Equal(t, exitFailed, call(t.Context(), &out, 0, false, append(show, "--svg", "-")...))
	require.Contains(t, out.String(), "cannot be drawn")
}
