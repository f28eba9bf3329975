package dataset_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

// listed are reviews, each with its part.
type listed []listedReview

type listedReview struct {
	dataset.Review
	part dataset.Part
}

func (listed) String() string    { return "listed" }
func (listed) Classes() []string { return []string{"neg", "pos"} }
func (l listed) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for _, r := range l {
		if err := yield(r.part, r.Review); err != nil {
			return err
		}
	}
	return nil
}

// Whatever the order of the reviews, the corpus is the same, including its digest.
func TestBuildOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := listed{}
		for i := range rapid.IntRange(4, 60).Draw(t, "reviews") {
			part := dataset.Part(rapid.IntRange(0, 2).Draw(t, "part"))
			if i < 4 {
				part = dataset.Part(i / 2)
			}
			label := i % 2
			if part == dataset.Extra {
				label = dataset.Unlabelled
			}
			text := strings.Repeat("word "+string(rune('a'+i%7))+" ", rapid.IntRange(0, 30).Draw(t, "length"))
			src = append(src, listedReview{dataset.Review{fmt.Sprintf("%s/%02d", part, (i*37)%101), text, label, nil}, part})
		}
		want := must.Get(dataset.Build(t.Context(), "x", src, token.PTB))(t)
		got := must.Get(dataset.Build(t.Context(), "x", listed(rapid.Permutation(src).Draw(t, "order")), token.PTB))(t)
		assert.Equal(t, want.Vocab.Words, got.Vocab.Words)
		want.Vocab, got.Vocab = nil, nil
		assert.Equal(t, want, got)
		twice := append(src, src[3])
		assert.ErrorContains(t, must.Fail(dataset.Build(t.Context(), "x", twice, token.PTB)), "occurs twice: remove one")
	})
}
