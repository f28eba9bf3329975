package infer_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/testkit/must"
)

// The gradient along a word's vector is the derivative of the difference of the logits
// when the vector is scaled. A word of the model's own is given a vector that is a little
// longer, by LookUp.
// Dropout, batch norm, penalties and smoothing must not show: the model is asked as
// in evaluation.
func TestGradientTimesInput(t *testing.T) {
	const step = 1.0 / 64
	text := []string{"dull", "plot", ",", "good", "songs", "qzx", "film"}
	for _, c := range []struct{ name, settings string }{
		{"tme9-mean", ""},
		{"tme9-values", "dropout=0.5 lambda=0.5"},
		{"tme9-lstm", "lstm.bidirectional=true"},
		{"tme10-self", "layers=2 norm=batch layer.dropout=0.5 attention.dropout=0.5"},
		{"transformer", "layers=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, _ := openRun(t, c.name, strings.Fields(c.settings)...)
			rows := m.Encode(strings.Join(text, " ")).Rows
			require.Len(t, rows, len(text), "each is one word to the tokeniser")
			longer := &vectors.Set{Name: "longer", Dim: m.Dim()}
			for i := range text {
				for _, way := range []struct {
					name  string
					scale float32
				}{{"up", 1 + step}, {"down", 1 - step}} {
					longer.Words = append(longer.Words, way.name+string(rune('a'+i)))
					for _, x := range m.Vector(rows[i]) {
						longer.Rows = append(longer.Rows, x*way.scale)
					}
				}
			}
			require.NoError(t, m.LookUp(longer))
			p := must.Get(m.View(strings.Join(text, " "), infer.Look{}))(t)
			g := must.Get(m.Gradients(false))(t)
			defer g.Close()
			// The same text twice, to see that texts of a batch are told apart.
			list := []infer.Encoded{m.Encode("good"), m.Encode(strings.Join(text, " "))}
			got := make([][]float64, len(list))
			require.NoError(t, g.Run(list, func(int) int { return 1 }, func(i int, d infer.Derived) {
				for k := range list[i].Rows {
					got[i] = append(got[i], 0)
					for j, x := range d.X(k) {
						got[i][k] += float64(x) * float64(d.D(k)[j])
					}
				}
				if i == 1 {
					require.InDelta(t, math.Log(float64(p.P[1])/float64(p.P[0])), d.Margin, 1e-4)
				}
			}))
			require.Len(t, got[0], 1)
			margin := func(i int, way string) float64 {
				changed := append([]string(nil), text...)
				changed[i] = way + string(rune('a'+i))
				p := must.Get(m.View(strings.Join(changed, " "), infer.Look{}))(t)
				return math.Log(float64(p.P[1]) / float64(p.P[0]))
			}
			largest := 0.0
			for i := range text {
				slope := (margin(i, "up") - margin(i, "down")) / (2 * step)
				require.InDelta(t, slope, got[1][i], 2e-4+0.05*math.Abs(slope), "%s", text[i])
				largest = max(largest, math.Abs(slope))
			}
			require.Greater(t, largest, 1e-3, "something must be seen: %v", p.P)
		})
	}
}
