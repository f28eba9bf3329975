package dataset_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

// written is a corpus of texts: train has all but the last two, of which one is in test and one
// without label.
type written []string

func (written) String() string    { return "written" }
func (written) Classes() []string { return []string{"neg", "pos"} }

func (w written) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i, text := range w {
		part, label := dataset.Train, i%2
		switch i {
		case len(w) - 3, len(w) - 2:
			part = dataset.Test
		case len(w) - 1:
			part, label = dataset.Extra, dataset.Unlabelled
		}
		if err := yield(part, dataset.Review{ID: string(rune('a' + i)), Text: text, Label: label}); err != nil {
			return err
		}
	}
	return nil
}

// A review is left out if the model reads the words of a text of the probe, or their beginning; test
// stays whole.
func TestWithout(t *testing.T) {
	long := strings.Repeat("word after word ", 12) // 156 letters
	probe := []string{
		"It isn't a GOOD café, film.",
		long + "with an end",
		"...",
	}
	src := written{
		"it isn’t a good cafe\u0301 <br />film",    // a: the same words but for signs
		long + "with another end, from the review", // b: the same beginning
		"it isn't a good cafe, film at all",        // c: goes on
		"it is a good film",                        // d
		"!!!",                                      // e: no letters, as "..."
		strings.Replace(long, "word", "work", 1),   // f
		"it isn't a good café, film",               // g: test
		"it is bad",                                // h: test
		"It isn't a good café, FILM!",              // i: without label
	}
	tok := must.Get(token.Get(""))(t)
	c := must.Get(dataset.Build(context.Background(), "written", src, tok))(t)
	out, left := c.Without(tok, slices.Values(probe), "0123456789abcdef")
	require.Equal(t, [dataset.Parts]int{2, 0, 1}, left)
	require.Equal(t, []string{"c", "d", "e", "f"}, out.Train.Names)
	require.Equal(t, []int32{0, 1, 0, 1}, out.Train.Labels)
	require.Equal(t, []string{"g", "h"}, out.Test.Names)
	require.Empty(t, out.Extra.Names)
	require.Equal(t, c.Digest, out.Digest, "the test reviews are the same")
	require.NotEqual(t, c.Key, out.Key, "vectors of the corpus are not")
	spell := func(c *dataset.Corpus, s *dataset.Split, b int) (words []string) {
		for _, id := range s.Words(b) {
			words = append(words, c.Vocab.Words[id])
		}
		return words
	}
	for b, name := range out.Train.Names {
		require.Equal(t, spell(c, &c.Train, slices.Index(c.Train.Names, name)), spell(out, &out.Train, b))
	}
	require.Equal(t, spell(c, &c.Test, 0), spell(out, &out.Test, 0))
	require.NotContains(t, out.Vocab.Words, "another", "a word of the reviews left out")
	for id, n := range out.Vocab.Counts {
		var occur int64
		for p := range dataset.Parts {
			for _, x := range out.Part(p).IDs {
				if int(x) == id {
					occur++
				}
			}
		}
		require.Equal(t, occur, n, out.Vocab.Words[int32(id)])
	}
	same, left := c.Without(tok, slices.Values([]string{"nothing of this"}), "0123456789abcdef")
	require.Zero(t, left)
	require.Equal(t, c.Train, same.Train)
}
