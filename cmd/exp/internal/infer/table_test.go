package infer_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/testkit/testmodel"
)

// The words that are kept, and those of the texts, say what they said; the others are
// unknown.
func TestCut(t *testing.T) {
	run, pool := testmodel.Train(t, "tme9-simple")
	whole, err := infer.ReadRun(run)
	require.NoError(t, err)
	cut, err := infer.ReadRun(run)
	require.NoError(t, err)
	words := whole.Table.Words
	rare, lost := words[len(words)-1], words[len(words)-2]
	require.NoError(t, cut.CutWords(5, "the "+rare))
	require.Len(t, cut.Table.Words, 7)
	require.Equal(t, rare, cut.Table.Words[6])
	require.NoError(t, whole.CutWords(0))
	require.NoError(t, whole.CutWords(len(words)-1))
	require.Len(t, whole.Table.Words, len(words))

	a, err := whole.Model(pool)
	require.NoError(t, err)
	defer a.Close()
	b, err := cut.Model(pool)
	require.NoError(t, err)
	defer b.Close()
	text := words[1] + " " + rare + " " + words[5] + " zzzz"
	want, err := a.View(text, infer.Look{})
	require.NoError(t, err)
	got, err := b.View(text, infer.Look{})
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = b.View(lost, infer.Look{})
	require.NoError(t, err)
	require.Equal(t, []bool{false}, got.Known)
}

// A model and its words that were taken apart are the same when they are joined.
func TestSplitTable(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "oov=learned")
	trained, err := infer.ReadRun(run)
	require.NoError(t, err)
	model, table := trained.SplitTable()
	require.Len(t, model.Table.Words, 1)
	var b bytes.Buffer
	_, err = infer.WriteTable(&b, table)
	require.NoError(t, err)
	again, err := infer.ParseTable(b.Bytes())
	require.NoError(t, err)
	require.Equal(t, table.Words, again.Words)
	require.NoError(t, model.JoinTable(again))
	require.Equal(t, trained.Table.Rows, model.Table.Rows)
	require.Equal(t, trained.Table.Words, model.Table.Words)
	require.ErrorContains(t, model.JoinTable(again), "does not fit")
	_, err = infer.ParseTable(b.Bytes()[:40])
	require.Error(t, err)
}
