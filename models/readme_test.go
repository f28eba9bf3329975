package models_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README shows a whole model as its recipe for adding one: it must be the one
// that runs.
func TestReadmeShowsTheModel(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("simple.go")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	block, _, _ = strings.Cut(block, "```")
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for line := range strings.Lines(block) {
		require.Contains(t, squeeze(string(source)), squeeze(line))
	}
}
