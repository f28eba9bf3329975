package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// A command with the path of a run can be pasted into a shell, blanks and quotes included.
func TestTrainingQuotes(t *testing.T) {
	for path, want := range map[string]string{
		"runs/tme9-simple/0123": "exp run runs/tme9-simple/0123/config.yaml",
		"my runs/a/b":           "exp run 'my runs/a/b/config.yaml' --runs 'my runs'",
		"it's/a/b":              `exp run 'it'\''s/a/b/config.yaml' --runs 'it'\''s'`,
	} {
		require.Equal(t, want, trainCommand(&runs.Run{Path: path}))
	}
}
