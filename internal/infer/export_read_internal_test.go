package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/safetensors"
	"imdbexp/runs"
)

// A vocabulary from elsewhere may have n-grams, none longer than those that texts are read by.
func TestVocabularyOfAFile(t *testing.T) {
	for words, want := range map[string]string{
		"\na b c":   "",
		"\na b c d": "its vocabulary has an n-gram of 4 words; the maximum is 3",
		"\na\nb":    "vectors of shape [2 1] for 3 words",
	} {
		var m Trained
		err := m.parseTensors(&safetensors.File{Tensors: []safetensors.Tensor{
			{Name: vocabularyTensor, Shape: []int{len(words)}, Data: []byte(words)},
			{Name: vectorsTensor, Shape: []int{2, 1}, Data: []float32{1, 2}},
		}})
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
	}
}

// A command with the path of a run can be pasted into a shell, blanks and quotes included.
func TestTrainingQuotes(t *testing.T) {
	for path, want := range map[string]string{
		"my runs/a/b": `exp run "my runs/a/b/config.yaml" --runs "my runs"`,
		"it's/a/b":    `exp run "it's/a/b/config.yaml" --runs "it's"`,
	} {
		require.Equal(t, want, trainCommand(&runs.Run{Path: path}))
	}
}

// RowsOf is how reviews of a corpus become rows.
func (m *Model) RowsOf(ids, row []int32) (words, rows []int32, lacks int) {
	return m.rowsOf(ids, m.table.Over(nil, row))
}

// Weights add up to one, unless there are none: with slip.softmax_queries all of the softmax
// may fall on padding, which leaves the words nothing to give. NaN is no weight.
func TestNormalise(t *testing.T) {
	weights := []float64{1, 3, 0}
	normalise(weights)
	require.Equal(t, []float64{0.25, 0.75, 0}, weights)
	nothing := []float64{0, 0}
	normalise(nothing)
	require.Equal(t, []float64{0, 0}, nothing)
	require.Zero(t, Entropy(nothing))
}
