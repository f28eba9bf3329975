package infer_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
)

// A model's own weights give its own answers; of a model that is linear behind its
// weighted sum the slopes say what any other weights give.
func TestImpose(t *testing.T) {
	texts := []string{"a dull plot , but good songs", "good", "the film is not bad at all"}
	for _, name := range []string{"tme9-simple", "tme9-lstm", "additive", "luong"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := openRun(t, name)
			p, err := m.Imposer()
			require.NoError(t, err)
			defer p.Close()
			var list []infer.Encoded
			var own [][]float32
			var answers [][]float32
			for _, text := range texts {
				e := m.Encode(text)
				b, err := m.Run([]infer.Encoded{e})
				require.NoError(t, err)
				a, err := b.Attention(0)
				require.NoError(t, err)
				list, own, answers = append(list, e), append(own, slices.Clone(a)), append(answers, slices.Clone(b.P(0)))
			}
			class := func(int) int { return 1 }
			got, err := p.Run(list, func(i int) []float32 { return own[i] }, class)
			require.NoError(t, err)
			for i := range texts {
				require.Equal(t, answers[i], got[i].P)
			}
			other := func(i int) []float32 {
				w := make([]float32, len(own[i]))
				w[len(w)/2] = 1
				return w
			}
			moved, err := p.Run(list, other, nil)
			require.NoError(t, err)
			odds := func(p []float32) float64 { return math.Log(float64(p[1])) - math.Log(float64(p[0])) }
			for i := range texts {
				require.Nil(t, moved[i].Slopes)
				want := odds(got[i].P)
				for k, s := range got[i].Slopes {
					want += s * float64(other(i)[k]-own[i][k])
				}
				if name != "luong" { // a tanh stands behind its sum
					require.InDelta(t, want, odds(moved[i].P), 1e-3*(1+math.Abs(want)))
				}
			}
		})
	}
	m, _ := openRun(t, "tme9-mean")
	_, err := m.Imposer()
	require.ErrorContains(t, err, "no weights that could be imposed")
}
