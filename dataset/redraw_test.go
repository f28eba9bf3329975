package dataset_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

// heldOut has 100 of a user's own reviews in two classes, 20 of them held out. Every tenth review has
// the same words, so a model cannot distinguish these ten.
type heldOut struct{ given bool } // given: the test part came in a file

func (heldOut) String() string    { return "held out" }
func (heldOut) Classes() []string { return []string{"neg", "pos"} }

func (h heldOut) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i := range 100 {
		part, n, text := dataset.Train, i+1, fmt.Sprintf("film %d", i)
		if i%5 == 0 {
			part = dataset.Test
		}
		if i%10 == 3 {
			text = []string{"The same film", "the same FILM", "the <br /> same film"}[i%3]
		}
		if h.given && part == dataset.Test {
			n = i/5 + 1
		}
		if err := yield(part, dataset.Review{ID: fmt.Sprintf("%s/%08d", part, n), Text: text, Label: i / 5 % 2}); err != nil {
			return err
		}
	}
	return nil
}

// Another division has as many test reviews of each class, has each review once, and keeps equal texts
// on one side. It depends on the seed alone. Data with a given test part keep it.
func TestRedraw(t *testing.T) {
	c := must.Get(dataset.Build(t.Context(), "films", heldOut{}, token.PTB))(t)
	words := func(s *dataset.Split, b int) (out string) {
		for _, id := range s.Words(b) {
			out += c.Vocab.Words[id] + " "
		}
		return strings.TrimSpace(out)
	}
	divisions := map[string]bool{}
	for seed := range uint64(20) {
		d := must.Get(c.Redraw(seed))(t)
		require.Equal(t, d.Test, must.Get(c.Redraw(seed))(t).Test)
		require.Equal(t, []int{80, 20}, []int{d.Train.Len(), d.Test.Len()})
		require.Equal(t, 10, len(d.Test.First(0, 2))-int(sum(d.Test.Labels)), "of class neg")
		require.Equal(t, c.Digest, d.Digest)
		require.NotEqual(t, c.Key, d.Key, "vectors of the corpus are others")
		require.ElementsMatch(t, slices.Concat(c.Train.Names, c.Test.Names), slices.Concat(d.Train.Names, d.Test.Names))
		require.True(t, slices.IsSorted(d.Train.Names) && slices.IsSorted(d.Test.Names))
		sides := map[string]map[bool]bool{}
		for part, s := range []*dataset.Split{&d.Train, &d.Test} {
			for b := range s.Labels {
				text := words(s, b)
				if sides[text] == nil {
					sides[text] = map[bool]bool{}
				}
				sides[text][part == 1] = true
			}
		}
		require.Len(t, sides, 91)
		for text, on := range sides {
			require.Len(t, on, 1, text)
		}
		divisions[strings.Join(d.Test.Names, " ")] = true
	}
	require.Len(t, divisions, 20)

	given := must.Get(dataset.Build(t.Context(), "films", heldOut{given: true}, token.PTB))(t)
	require.ErrorContains(t, must.Fail(given.Redraw(1)), "its test part was given")
}

func sum(list []int32) (n int32) {
	for _, x := range list {
		n += x
	}
	return n
}
