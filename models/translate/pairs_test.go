package models_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/models"
)

// The vocabularies of the sentence pairs here.
const sourceWords, targetWords = 11, 9

// translators are the models that translate, with the settings that change their graphs;
// every other registered one is there as it is.
var translators = []variant{
	{"seq2seq-plain", nil},
	{"seq2seq-plain", []string{"reverse=false", "layers=2", "tied=true", "label_smoothing=0.1", "dropout=0.1"}},
	{"seq2seq-bahdanau", nil},
	{"seq2seq-bahdanau", []string{"form=concat", "tied=true", "dropout=0.1"}},
	{"seq2seq-luong", nil},
	{"seq2seq-luong", []string{"scale=sqrt_k"}},
	{"seq2seq-luong", []string{"score=dot", "cell=gru", "layers=2"}},
	{"seq2seq-luong", []string{"score=concat", "tied=true"}},
	{"seq2seq-transformer", nil},
	{"seq2seq-transformer", []string{"norm.place=before", "layers=1", "tied=true", "label_smoothing=0.1", "dropout=0.1"}},
}

// newTranslator returns a narrow translator.
func newTranslator(t testing.TB, name string, put ...string) models.Model {
	narrow := []string{"embedding=8", "hidden=8"}
	switch name {
	case "seq2seq-bahdanau":
		narrow = append(narrow, "attention.width=6")
	case "seq2seq-transformer":
		narrow = []string{"width=8", "heads=2", "ffn.width=12"}
	}
	return newModel(t, name, append(narrow, put...)...)
}

// defaults returns the translator of that name with its own settings; nil for another
// model.
func defaults(t testing.TB, name string) models.Model {
	info, err := models.Lookup(name)
	require.NoError(t, err)
	m := info.New()
	if _, translates := m.(models.Translator); !translates {
		return nil
	}
	_, err = settings.New(m) // fills them in
	require.NoError(t, err)
	return m
}

// newPairs packs sentences of those lengths; their translations say the words
// backwards, and some twice.
func newPairs(lengths ...int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}, TargetOffsets: []int{0}, Labels: make([]int32, len(lengths))}
	for i, n := range lengths {
		var words []int32
		for j := range n {
			words = append(words, int32(3+simd.Hash2(simd.Key(1, "pairs"), uint64(i), uint64(j))%(sourceWords-3)))
		}
		addPair(b, words, backwards(words))
	}
	return b
}

// addPair puts a pair behind those of the batch.
func addPair(b *ragged.Batch, source, target []int32) {
	b.Reviews = append(b.Reviews, int32(len(b.Reviews)))
	b.IDs = append(b.IDs, source...)
	b.Offsets = append(b.Offsets, len(b.IDs))
	b.TargetIn = append(append(b.TargetIn, ragged.BeginID), target...)
	b.TargetOut = append(append(b.TargetOut, target...), ragged.EndID)
	b.TargetOffsets = append(b.TargetOffsets, len(b.TargetIn))
}

func backwards(source []int32) (target []int32) {
	for _, w := range slices.Backward(source) {
		word := 3 + (w-3)%(targetWords-3)
		if target = append(target, word); w%4 == 0 {
			target = append(target, word)
		}
	}
	return target
}

func newTranslation(t testing.TB, s models.Spec) *models.Network {
	s.Source, s.Target = sourceWords, targetWords
	return newNetwork(t, s)
}
