package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/safetensors"
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
