package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// If predictions are missing or damaged, a message shows the command that writes them again: without
// training if the model can, else by training again.
func TestPredictionsAnew(t *testing.T) {
	dir, flags := folders(t)
	one, pairs := tiny(flags, "epochs=1"), append([]string{"run", "seq2seq-bahdanau", "data.limit=40", "epochs=1"}, flags...)
	for _, args := range [][]string{one, pairs} {
		ok(t, args...)
		run := must.Get(runs.Find(dir, "@last"))(t)
		file := filepath.Join(run.Path, run.Config.Task().Answers)
		whole := must.Get(os.ReadFile(file))(t)
		for _, ask := range [][]string{{"compare", "@last", "@last"}, args} {
			out := ""
			if ask[0] == "compare" {
				require.NoError(t, os.WriteFile(file, []byte("noise"), 0o666))
				out = on(t, 0, false, exitFailed, append(ask, flags...)...)
			} else {
				require.NoError(t, os.Remove(file))
				out = ok(t, ask...)
			}
			_, do, found := strings.Cut(out, map[bool]string{true: "write them again from its weights: ", false: "train it again, with the same result: "}[args[1] == one[1]])
			require.True(t, found, out)
			do, _, _ = strings.Cut(do, "\n")
			typed(t, do)
			again := must.Get(os.ReadFile(file))(t)
			require.Equal(t, string(whole), string(again))
		}
	}
}
