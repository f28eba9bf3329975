package own

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

// Held out are sources with all their translations, the same ones in any order.
func TestPairsHeldOut(t *testing.T) {
	hold := func(lines []string, fraction float64) (side map[string]string, err error) {
		g := &pairGatherer{}
		for _, l := range lines {
			source, target, _ := strings.Cut(l, " ")
			require.NoError(t, g.add(input{file: "a.tsv"}, tables.Pair{Source: source, Target: target}))
		}
		if err := g.holdOut(fraction); err != nil {
			return nil, err
		}
		_, _, shared := g.count()
		require.Zero(t, shared)
		train, test := g.splits()
		require.Len(t, lines, len(train)+len(test))
		side, names := map[string]string{}, map[string]bool{}
		for _, p := range append(train, test...) {
			part, number, _ := strings.Cut(p.ID, "/")
			require.False(t, names[number], "a name twice")
			names[number] = true
			side[p.Source] = part
		}
		return side, nil
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-f]{1,2} [xy]`), 3, 30).Draw(t, "pairs")
		fraction := rapid.Float64Range(0.01, 0.9).Draw(t, "fraction")
		side, err := hold(lines, fraction)
		if err != nil {
			require.ErrorContains(t, err, "holds 1 different sentences, and two are needed")
			return
		}
		test := 0
		for _, part := range side {
			if part == dataset.Test.String() {
				test++
			}
		}
		require.True(t, 0 < test && test < len(side))
		require.InDelta(t, fraction*float64(len(side)), test, 1)
		again, err := hold(rapid.Permutation(lines).Draw(t, "order"), fraction)
		require.NoError(t, err)
		require.Equal(t, side, again)
	})
}
