package scores_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/infertest"
	"imdbexp/cmd/exp/internal/scores"
)

// The model gives the answer that a flip says, and no removal of fewer words changes the answer.
// Without room for a search, the greedy one still flips.
func TestFlips(t *testing.T) {
	m := infertest.Open(t, "tme9-simple", "lr=0.1", "data.limit=200", "epochs=4")
	flipped, sizes := 0, map[int]int{}
	for _, text := range []string{short, "a dull plot and a good cast , but not the songs", "the jokes are flat and the plot is dull", "a superb film , superb songs and a good cast"} {
		words := strings.Fields(text)
		e := m.Encode(text)
		v, err := m.View(text, infer.Look{})
		require.NoError(t, err)
		_, a := of(t, m, scores.LeaveOut, text)
		for _, way := range scores.Ways {
			for _, room := range []int{0, 1 << 20} {
				f, err := a.Flip(t.Context(), scores.Text{Encoded: e, Class: v.Class}, nil, way, room)
				require.NoError(t, err)
				if f.Places == nil {
					require.Contains(t, f.Says(words, m.Classes), "No change")
					continue
				}
				flipped++
				changed := slices.Clone(words)
				for k, at := range slices.Backward(f.Places) {
					if f.Others != nil {
						require.NotEqual(t, words[at], f.Others[k])
						changed[at] = f.Others[k]
					} else {
						changed = slices.Delete(changed, at, at+1)
					}
				}
				after, err := m.View(strings.Join(changed, " "), infer.Look{})
				require.NoError(t, err)
				require.Equal(t, f.Class, after.Class)
				require.NotEqual(t, v.Class, after.Class)
				require.InDelta(t, after.P[f.Class], f.P, 1e-5)
				if room == 0 {
					sizes[len(f.Places)]++
					continue
				}
				require.LessOrEqual(t, f.Tried, 3)
				if way == scores.Ways[0] && len(f.Places) == 2 {
					for i := range words {
						after, err := m.View(strings.Join(slices.Delete(slices.Clone(words), i, i+1), " "), infer.Look{})
						require.NoError(t, err)
						require.Equal(t, v.Class, after.Class, "%s without %s", text, words[i])
					}
				}
			}
		}
	}
	require.Positive(t, flipped)
	require.Positive(t, sizes[2], "%v", sizes)
}
