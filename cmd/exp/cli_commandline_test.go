package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
)

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{"tme9": "tme9", "lr=0.1,0.2": "lr=0.1,0.2", "a b": "'a b'", "": "''", "it's": `'it'\''s'`, "tme9-lstm[seed=2]": "'tme9-lstm[seed=2]'",
		"it's\n\x1b[8m\u202e\\": `$'it\'s\n\x1b[8m\u202e\\'`} {
		require.Equal(t, want, cli.Quoted(word))
	}
}
