package infer_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
)

// The words that are kept, and those of the texts, say what they said; the others are
// unknown.
func TestCut(t *testing.T) {
	run, pool := testmodel.Train(t, "tme9-simple")
	whole := must.Get(infer.ReadRun(run))(t)
	cut := must.Get(infer.ReadRun(run))(t)
	words := whole.Table.Words
	rare, lost := words[len(words)-1], words[len(words)-2]
	require.NoError(t, cut.CutWords(5, "the "+rare))
	require.Len(t, cut.Table.Words, 7)
	require.Equal(t, rare, cut.Table.Words[6])
	require.NoError(t, whole.CutWords(0))
	require.NoError(t, whole.CutWords(len(words)-1))
	require.Len(t, whole.Table.Words, len(words))

	a := must.Get(whole.Model(pool))(t)
	defer a.Close()
	b := must.Get(cut.Model(pool))(t)
	defer b.Close()
	text := words[1] + " " + rare + " " + words[5] + " zzzz"
	want := must.Get(a.View(text, infer.Look{}))(t)
	got := must.Get(b.View(text, infer.Look{}))(t)
	require.Equal(t, want, got)
	got = must.Get(b.View(lost, infer.Look{}))(t)
	require.Equal(t, []bool{false}, got.Known)
}

// A model and its words that were taken apart are the same when they are joined.
func TestSplitTable(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "oov=learned")
	trained := must.Get(infer.ReadRun(run))(t)
	model, table := trained.SplitTable()
	require.Len(t, model.Table.Words, 1)
	var b bytes.Buffer
	must.Get(infer.WriteTable(&b, table))(t)
	again := must.Get(infer.ParseTable(b.Bytes()))(t)
	require.Equal(t, table.Words, again.Words)
	require.NoError(t, model.JoinTable(again))
	require.Equal(t, trained.Table.Rows, model.Table.Rows)
	require.Equal(t, trained.Table.Words, model.Table.Words)
	require.ErrorContains(t, model.JoinTable(again), "does not fit")
	_, err := infer.ParseTable(b.Bytes()[:40])
	require.Error(t, err)
}

// A model with some of its n-grams predicts the same bits of a text that has no others, and says how
// many it lacks; also as a page has it.
func TestCutNgrams(t *testing.T) {
	const known = "the jokes are never hilarious , and the plot is a mess"
	for name, settings := range map[string][]string{
		"nbsvm": {"data.limit=200"}, "bow-lr": {"data.limit=200"},
		"best": {"data.limit=100", "epochs=1", "vectors=random", "vectors.dim=8", "lstm.hidden=4", "wide.folds=2", "average=0"},
	} {
		t.Run(name, func(t *testing.T) {
			run, pool := trainWith(t, name, settings)
			full := must.Get(infer.Open(run, pool))(t)
			defer full.Close()
			trained := must.Get(infer.ReadRun(run))(t)
			kept, of, err := trained.CutNgrams(40, known)
			require.NoError(t, err)
			require.Greater(t, of, 4*kept)
			model, words := trained.SplitTable()
			var b bytes.Buffer
			require.NoError(t, model.Write(&b))
			back := must.Get(infer.ParseFile(b.Bytes()))(t)
			require.NoError(t, back.JoinTable(words))
			cut := must.Get(back.Model(pool))(t)
			defer cut.Close()
			has, left, is := cut.LeftOut()
			require.True(t, is)
			require.Equal(t, []int{kept, of - kept}, []int{has, left})
			for _, text := range []string{known, "", "xyzzy"} { // texts with kept n-grams alone
				want := must.Get(full.View(text, infer.Look{}))(t)
				got := must.Get(cut.View(text, infer.Look{}))(t)
				require.Equal(t, want.P, got.P, text)
			}
			_, _, is = full.LeftOut()
			require.False(t, is)
		})
	}
}
