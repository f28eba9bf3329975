package infer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
)

// Whoever asks, a text that is too long is called by a name that the asker knows.
func TestLongErrorNamesTheText(t *testing.T) {
	m, _ := openRun(t, "tme10-self", "positions=learned", "positions.max=71", "layers=1") // enough for the run's own reviews
	ctx, dir := t.Context(), t.TempDir()
	const review = "test/0043: 79 words, and positions were learned for 71" // the longest of the first 40 of each class
	corpus, err := m.OpenCorpus(ctx, dir, "sample", folder.Options{})
	require.NoError(t, err)
	split, err := m.TestSplit(ctx, dir, "sample", 40, folder.Options{})
	require.NoError(t, err)
	text := strings.Repeat("good ", 72)
	gradients, err := m.Gradients(false)
	require.NoError(t, err)
	defer gradients.Close()
	first := func(int) int { return 0 }
	for _, c := range []struct {
		who, want string
		ask       func() error
	}{
		{"ReadSplit", review, func() error {
			return m.ReadSplit(ctx, corpus, dataset.Test, 40, infer.Look{}, func([]infer.Reading) error { return nil })
		}},
		{"Answers", review, func() error { _, err := m.Answers(ctx, split, false); return err }},
		{"View", "the text: 72 words", func() error { _, err := m.View(text, infer.Look{}); return err }},
		{"Gradients", "text 2: 72 words", func() error {
			return gradients.Run([]infer.Encoded{m.Encode("good"), m.Encode(text)}, first, nil)
		}},
		{"Gradients without words", "text 1 has no words", func() error { return gradients.Run([]infer.Encoded{{}}, first, nil) }},
		{"Gradients without texts", "no texts", func() error { return gradients.Run(nil, first, nil) }},
	} {
		require.ErrorContains(t, c.ask(), c.want, c.who)
	}
}
