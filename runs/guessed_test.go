package runs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func TestGuessed(t *testing.T) {
	list := runs.Guessed{{Text: "train/unsup/0_0", Words: 12, Right: 3, Loss: 5.25}, {Text: "a\tb"}}
	var b strings.Builder
	require.NoError(t, list.Write(&b))
	require.Equal(t, "text\twords\tright\tloss\ntrain/unsup/0_0\t12\t3\t5.25\na\\tb\t0\t0\t0\n", b.String())
	read := must.Get(runs.ParseGuessed("texts.tsv", []byte(b.String())))(t)
	require.Equal(t, list, read)
	for line, want := range map[string]string{
		"a\t1\t2\t0":   "texts.tsv:2: ",
		"a\t2\t1\tNaN": "there must be the number of words, of right guesses, and a loss",
		"a\t2\t1":      "3 columns, the header has 4",
	} {
		require.ErrorContains(t, must.Fail(runs.ParseGuessed("texts.tsv", []byte("text\twords\tright\tloss\n"+line+"\n"))), want)
	}
}
