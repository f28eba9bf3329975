package docs_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs/published"
)

// docs/leaderboard.md has every published row as the program has it.
func TestLeaderboard(t *testing.T) {
	text, err := os.ReadFile("leaderboard.md")
	require.NoError(t, err)
	for _, r := range published.IMDB {
		require.Regexp(t, fmt.Sprintf(`\| (\d+\. )?%s: %s +\| +%.2f`, r.Paper, r.Model, r.Accuracy), string(text))
	}
}
