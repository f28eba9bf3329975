package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp"
	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/internal/testkit/must"
)

// Package imdbexp makes the run that exp run makes, and answers what exp predict and exp attend print.
func TestLibraryAgrees(t *testing.T) {
	dir, flags := folders(t)
	settings := []string{"data=sample", "data.limit=20", "epochs=1", "vectors=random"}
	run := must.Get(imdbexp.Train(t.Context(), imdbexp.Options{Runs: dir, Workers: 2}, "tme10-cls", settings...))(t)
	require.Contains(t, ok(t, append(append([]string{"run", "tme10-cls"}, settings...), flags...)...), "finished before")
	m := must.Get(imdbexp.Open(run.Path, 2))(t)
	defer m.Close()
	var texts []string
	for line := range strings.Lines(ok(t, append([]string{"attend", "@last", "--split", "test"}, flags...)...)) {
		var want attend.Line
		require.NoError(t, json.Unmarshal([]byte(line), &want))
		texts = append(texts, strings.Join(want.Words, " "))
		got := must.Get(m.Attend(texts[len(texts)-1], imdbexp.Look{}))(t)
		require.Equal(t, want.CLS, got.CLS)
		for i, w := range got.Words {
			require.Equal(t, want.Weights[i], w.Weight)
			require.Equal(t, want.Words[i], w.Text)
		}
	}
	require.Len(t, texts, 40)
	file := filepath.Join(dir, "texts.txt")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(texts, "\n")), 0o600))
	answers := must.Get(m.Predict(t.Context(), texts...))(t)
	for line := range strings.Lines(ok(t, append([]string{"predict", "@last", file, "--out-format", "jsonl"}, flags...)...)) {
		if line[0] != '{' { // of the summary
			continue
		}
		var want struct{ P map[string]float32 }
		require.NoError(t, json.Unmarshal([]byte(line), &want))
		require.Equal(t, want.P, map[string]float32{"neg": answers[0].P[0], "pos": answers[0].P[1]})
		answers = answers[1:]
	}
	require.Empty(t, answers)
}
