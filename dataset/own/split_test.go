package own

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
)

// What is held out: about the fraction of each class, no text on both sides, the
// same in whatever order the reviews come.
func TestHoldOut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "10", "9"}), 2, 4, rapid.ID).Draw(rt, "labels")
		fraction := rapid.Float64Range(0.05, 0.9).Draw(rt, "fraction")
		type review struct{ label, text string }
		var all []review
		for _, l := range labels { // enough of its own
			for i := range 4 {
				all = append(all, review{l, fmt.Sprint("only ", l, i)})
			}
		}
		all = append(all, rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) review {
			return review{rapid.SampledFrom(labels).Draw(rt, "label"), fmt.Sprint("text ", rapid.IntRange(0, 60).Draw(rt, "text"))}
		}), 0, 200).Draw(rt, "reviews")...)

		split := func(all []review) map[string]dataset.Part {
			g := &gatherer{}
			for _, r := range all {
				i := slices.Index(g.labels, r.label)
				if i < 0 {
					i = len(g.labels)
					g.labels = append(g.labels, r.label)
				}
				g.reviews = append(g.reviews, gathered{key: textKey(r.text), label: int16(i)})
			}
			require.NoError(rt, g.holdOut(fraction))
			require.NoError(rt, g.checkClasses())
			parts := map[string]dataset.Part{}
			for i, r := range all {
				part := g.reviews[i].part
				if old, ok := parts[r.text]; ok {
					require.Equal(rt, old, part, r.text)
				}
				parts[r.text] = part
			}
			return parts
		}
		first := split(all)
		slices.Reverse(all)
		again := split(all)
		require.Equal(rt, first, again)
		held := 0
		for _, p := range first {
			held += int(p)
		}
		require.InDelta(rt, fraction*float64(len(first)), float64(held), float64(len(labels)))
	})
}
