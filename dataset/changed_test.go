package dataset_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
)

// marked writes the changed words in brackets.
func marked(words []string, changed []bool) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; changed[i] {
			out[i] = "[" + w + "]"
		}
	}
	return strings.Join(out, " ")
}

func TestChanged(t *testing.T) {
	for _, c := range []struct{ a, b, inA, inB string }{
		{"a dull film", "a superb film", "a [dull] film", "a [superb] film"},
		{"not a good plot", "a good plot", "[not] a good plot", "a good plot"},
		{"good , but too long and dull", "good , and never dull", "good , [but] [too] [long] and dull", "good , and [never] dull"},
		{"the same", "the same", "the same", "the same"},
		{"", "all of it", "", "[all] [of] [it]"},
		{"a b a b", "b a b a", "[a] b a b", "b a b [a]"},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		inA, inB := dataset.Changed(a, b)
		require.Equal(t, c.inA, marked(a, inA))
		require.Equal(t, c.inB, marked(b, inB))
	}
}

// The words that did not change are the same in both, and no other choice keeps more of them.
func TestChangedIsSmallest(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 7)
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		inA, inB := dataset.Changed(a, b)
		same := kept(a, func(i int) bool { return !inA[i] })
		require.Equal(t, same, kept(b, func(i int) bool { return !inB[i] }))
		for chosen := range 1 << len(a) {
			if some := kept(a, func(i int) bool { return chosen>>i&1 == 1 }); within(some, b) {
				require.LessOrEqual(t, len(some), len(same))
			}
		}
	})
}

func kept(words []string, keep func(int) bool) []string {
	out := []string{}
	for i, w := range words {
		if keep(i) {
			out = append(out, w)
		}
	}
	return out
}

// within reports whether some is a subsequence of all.
func within(some, all []string) bool {
	for _, w := range all {
		if len(some) > 0 && some[0] == w {
			some = some[1:]
		}
	}
	return len(some) == 0
}
